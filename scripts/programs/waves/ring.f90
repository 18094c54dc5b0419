! Sendrecv round a ring and along a chain with ends, and Sendrecv_replace.
program ring
  use mpi_f08
  use corpus
  implicit none

  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: at(:), here(:), there(:)
  integer :: n, left, right, before, after
  integer(i8) :: i

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  left = modulo(options%rank - 1, options%ranks)
  right = modulo(options%rank + 1, options%ranks)
  before = merge(MPI_PROC_NULL, left, options%rank == 0)
  after = merge(MPI_PROC_NULL, right, right == 0)
  call protected_integers(at, 1_i8)
  call protected_integers(here, options%size)
  call protected_integers(there, options%size)
  do i = 1, options%size
    here(i) = corpus_mix(int(options%rank, i8), i, 3_i8)
  end do
  do while (at(1) < options%steps)
    call sluice_potential_checkpoint()
    call step()
    at(1) = at(1) + 1
  end do
  call corpus_end(hash_of_integers(1_i8, here))

contains

  subroutine step()
    integer(i8) :: i
    call MPI_Sendrecv(here, n, MPI_INTEGER8, right, 1, there, n, MPI_INTEGER8, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call corpus_pause()
    do i = 1, options%size
      here(i) = corpus_mix(here(i), there(i), at(1))
    end do
    call MPI_Sendrecv(here, n, MPI_INTEGER8, before, 2, there, n, MPI_INTEGER8, after, 2, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE)
    call MPI_Sendrecv_replace(there, n, MPI_INTEGER8, left, 3, right, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    do i = 1, options%size
      here(i) = corpus_mix(here(i), there(i), 5_i8)
    end do
  end subroutine
end program
