/* Where Sluice is installed. */
#pragma once

/* A file of the installation, from SLUICE_HOME or else from where this program lies. */
void sluice_exec_installed(char *path, unsigned long capacity, const char *file);
