! Rows, columns and a mirror of the world: the same tags and ranks mean other messages in each of them.
program split
  use mpi_f08
  use corpus
  implicit none

  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: state(:), data(:) ! state: the step, a value
  type(MPI_Comm) :: row, column, mirror

  call MPI_Init()
  call corpus_options_of_process(options)
  call protected_integers(state, 2_i8)
  call protected_integers(data, options%size)
  state(2) = options%rank
  call MPI_Comm_split(MPI_COMM_WORLD, options%rank / 2, options%rank, row)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(options%rank, 2), options%rank, column)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -options%rank, mirror)
  do while (state(1) < options%steps)
    call sluice_potential_checkpoint()
    call step()
    state(1) = state(1) + 1
  end do
  call MPI_Comm_free(row)
  call MPI_Comm_free(column)
  call MPI_Comm_free(mirror)
  call corpus_end(state(2))

contains

  integer(i8) function swap(communicator)
    type(MPI_Comm), intent(in) :: communicator
    type(MPI_Request) :: request
    integer(i8), asynchronous :: got
    integer(i8) :: sent
    integer :: rank, ranks
    sent = state(2)
    call MPI_Comm_rank(communicator, rank)
    call MPI_Comm_size(communicator, ranks)
    call MPI_Irecv(got, 1, MPI_INTEGER8, modulo(rank - 1, ranks), 4, communicator, request)
    call MPI_Send(sent, 1, MPI_INTEGER8, modulo(rank + 1, ranks), 4, communicator)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    swap = corpus_mix(got, int(rank, i8), int(ranks, i8))
  end function

  subroutine step()
    integer(i8) :: sum, here, from_row, from_mirror, from_world, i
    integer :: ranks
    here = iand(state(2), 1023_i8)
    call MPI_Comm_size(row, ranks)
    do i = 1, options%size
      data(i) = corpus_mix(state(2), i, state(1))
    end do
    call MPI_Bcast(data, int(options%size), MPI_INTEGER8, int(mod(state(1), int(ranks, i8))), row)
    call corpus_pause()
    call MPI_Allreduce(here, sum, 1, MPI_INTEGER8, MPI_SUM, column)
    from_row = swap(row)
    from_mirror = swap(mirror)
    from_world = swap(MPI_COMM_WORLD)
    state(2) = corpus_mix(corpus_mix(from_row, from_mirror, from_world), sum, hash_of_integers(1_i8, data))
  end subroutine
end program
