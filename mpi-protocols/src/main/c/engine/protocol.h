/* A protocol for waves, as this rank sees it: a table of functions, so that others can come beside C3 and Pcl. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counts.h"
#include "state.h"

struct sluice_mpi_protocol {
    /* A wave is asked for. */
    void (*please)(int64_t wave);
    /* What the coordinator says of this wave. */
    void (*order)(int kind, const void *bytes, size_t length);
    /* The program is at a spot; may hold it there. */
    void (*spot)(const struct sluice_mpi_place *place);
    /* Time passes within the layer. */
    void (*progress)(void);
    /* The wave is given up. */
    void (*give_up)(void);
    /* What crosses a line is still to be repeated. */
    bool (*repeats)(void);
    /* A restart, behind the layer's own state. */
    void (*restart)(int64_t wave);
};

extern const struct sluice_mpi_protocol sluice_mpi_pcl;
extern const struct sluice_mpi_protocol sluice_mpi_c3;

/* The wave that is under way, or 0, and the protocol of the last one. */
extern int64_t sluice_mpi_wave;
extern const struct sluice_mpi_protocol *sluice_mpi_protocol;

/* How many spots this rank has passed. */
extern int64_t sluice_mpi_spots;

/* This rank cannot take part: the wave is over here, and the coordinator gives it up with this reason. */
void sluice_mpi_refuse_wave(const char *why);

/*
 * Begins this rank's checkpoint, and takes its state at a spot: how many bytes. Negative: that failed, and the wave is
 * refused.
 */
int64_t sluice_mpi_take_state(const struct sluice_mpi_place *place);

/* The wave is over for this rank. */
void sluice_mpi_wave_ends(void);

/* Seconds that a rank waits for others before it refuses a wave. */
extern double sluice_mpi_patience;

/* All ranks are done, and no wave is under way. */
extern bool sluice_mpi_may_end;

/* Nanoseconds of a clock that does not jump. */
int64_t sluice_mpi_now(void);

/* The marker of this rank, as the coordinator takes it. */
void sluice_mpi_put_marker(struct sluice_mpi_bytes *bytes);

/* What is sent to this rank and counted in messages before its sender's line: reads an EXPECT. */
void sluice_mpi_get_late(struct sluice_mpi_reader *reader, struct sluice_mpi_counts *late);

/* Asks the library which open requests and drained messages are complete. */
void sluice_mpi_look_at_all(void);

/* Takes every message that has come and that no receive waits for. */
void sluice_mpi_drain_all(void);
