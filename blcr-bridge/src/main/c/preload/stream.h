/* The stdio streams on captured files. */
#ifndef SLUICE_PRELOAD_STREAM_H
#define SLUICE_PRELOAD_STREAM_H

/* Flushes all of them, as exit() does, without waiting for their locks. */
void sluice_streams_flush(void);

#endif
