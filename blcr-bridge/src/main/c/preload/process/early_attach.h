/* Attaches a rank before it opens its first file. */
#pragma once

void sluice_early_attach(void);
