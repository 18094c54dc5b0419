/* Preloaded in place of the shim by tests of what surrounds it. */
extern int sluice_stub_preload;
int sluice_stub_preload;
