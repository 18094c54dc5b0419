/* Hashes of memory, and what they say of the image that comes next. */
#include "engine_stubs.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes.h"
#include "core/hash.h"
#include "core/regions.h"

#define BLOCKS 200 /* of the region, the last one with some bytes more */

static unsigned char memory[BLOCKS * SLUICE_MPI_HASH_BLOCK + 100];

/* By the reference implementation. */
static void hashes_are_those_of_xxh3(void **state)
{
    (void)state;
    static unsigned char bytes[70001];
    static const struct {
        size_t length;
        uint64_t high;
        uint64_t low;
    } known[] = {
        {241, 0x413f13fba14489f9, 0x1ef3a6cb47fbad2d},
        {1024, 0x69282d0a6c4ebc5d, 0x6811158f016ad5dc},
        {1025, 0x629d776c1d6e3090, 0x17e75d922ee4c353},
        {65536, 0x9ef7689e4ba6d242, 0x2701c99a1e115090},
        {70001, 0xddc1c986f6a0b1b1, 0x29c006a967c89847},
    };
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i + i / 7);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct sluice_mpi_hash hash = sluice_mpi_hash(bytes, known[i].length);
        assert_true(hash.high == known[i].high && hash.low == known[i].low);
    }
}

static int set_up(void **state)
{
    (void)state;
    setenv("SLUICE_MPI_WRITE", "incremental", 1);
    sluice_mpi_changes_begin();
    sluice_mpi_region_protect(0, memory, sizeof memory);
    return 0;
}

/* How many blocks the image of a wave has to have; `blocks` says which, unless it is NULL. */
static int take(int64_t wave, bool *blocks)
{
    int changed = 0;
    sluice_mpi_changes_expect(wave);
    assert_true(sluice_mpi_changes_hashes());
    assert_int_equal(sluice_mpi_changes_blocks(sizeof memory), BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        const size_t more = i == BLOCKS - 1 ? 100 : 0;
        const bool one = sluice_mpi_changes_look(memory + (size_t)i * SLUICE_MPI_HASH_BLOCK,
                                                 SLUICE_MPI_HASH_BLOCK + more);
        changed += one;
        if (blocks != NULL)
            blocks[i] = one;
    }
    return changed;
}

static void what_changed_since_the_last_committed_wave_is_written(void **state)
{
    (void)state;
    assert_int_equal(take(1, NULL), BLOCKS);
    assert_int_equal(sluice_mpi_changes_base(), -1);
    sluice_mpi_changes_decide(1, true);
    bool blocks[BLOCKS];
    memory[sizeof memory - 1]++;
    take(2, blocks);
    assert_int_equal(sluice_mpi_changes_base(), 1);
    assert_true(blocks[BLOCKS - 1]);
    sluice_mpi_changes_decide(2, false);
    take(3, blocks);
    assert_int_equal(sluice_mpi_changes_base(), 1);
    assert_true(blocks[BLOCKS - 1]); /* the image that had it was given up */
    sluice_mpi_changes_decide(3, true);
    sluice_mpi_changes_decide(3, true); /* an I/O process that was resumed orders it again */
    take(4, NULL);
    assert_int_equal(sluice_mpi_changes_base(), 3);
    sluice_mpi_changes_decide(5, true); /* one without hashes */
    assert_int_equal(take(6, NULL), BLOCKS);
    sluice_mpi_changes_decide(6, true);
}

/* As by a network card, between its hash and its way into the image. */
static void what_changes_while_it_is_written_is_written_again(void **state)
{
    (void)state;
    bool blocks[BLOCKS];
    take(7, NULL);
    memory[0]++;
    for (int i = 0; i < 2; i++) {
        sluice_mpi_changes_check(i, memory + (size_t)i * SLUICE_MPI_HASH_BLOCK,
                                 SLUICE_MPI_HASH_BLOCK);
    }
    sluice_mpi_changes_decide(7, true);
    memory[0]--;
    take(8, blocks); /* which is no turn of these two */
    assert_true(blocks[0]);
    assert_false(blocks[1]);
    sluice_mpi_changes_decide(8, true);
}

static void each_block_is_written_within_eight_waves(void **state)
{
    (void)state;
    int last[BLOCKS];
    take(10, NULL);
    sluice_mpi_changes_decide(10, true);
    for (int i = 0; i < BLOCKS; i++)
        last[i] = 0;
    for (int wave = 1; wave < 40; wave++) {
        bool blocks[BLOCKS];
        take(10 + wave, blocks);
        for (int i = 0; i < BLOCKS; i++) {
            assert_in_range(wave - last[i], 1, SLUICE_MPI_HOLDERS);
            last[i] = blocks[i] ? wave : last[i];
        }
        sluice_mpi_changes_decide(10 + wave, true);
    }
}

static void other_regions_are_written_whole(void **state)
{
    (void)state;
    take(60, NULL);
    sluice_mpi_changes_decide(60, true);
    assert_int_equal(sluice_mpi_region_protect(1, memory, 8192), 0);
    sluice_mpi_changes_expect(61);
    assert_int_equal(sluice_mpi_changes_base(), -1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_xxh3),
        cmocka_unit_test(what_changed_since_the_last_committed_wave_is_written),
        cmocka_unit_test(what_changes_while_it_is_written_is_written_again),
        cmocka_unit_test(each_block_is_written_within_eight_waves),
        cmocka_unit_test(other_regions_are_written_whole),
    };
    const int failed = cmocka_run_group_tests(tests, set_up, NULL);
    MPI_Finalize();
    return failed;
}
