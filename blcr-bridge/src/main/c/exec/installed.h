/* Where Sluice is installed. */
#ifndef SLUICE_EXEC_INSTALLED_H
#define SLUICE_EXEC_INSTALLED_H

/* A file of the installation, from SLUICE_HOME or else from where this program lies. */
void sluice_exec_installed(char *path, unsigned long capacity, const char *file);

#endif
