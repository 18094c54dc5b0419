! Persistent requests, made before the first spot; the receives of a step are started before its spot.
program persistent
  use mpi_f08
  use corpus
  implicit none

  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: state(:), in(:), out(:) ! state: the step, whether its receives are started
  type(MPI_Request) :: receives(0:1), sends(0:1)
  integer :: n, side
  integer(i8) :: i

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  call protected_integers(state, 2_i8)
  call protected_integers(in, 2 * options%size)
  call protected_integers(out, 2 * options%size)
  do i = 1, 2 * options%size
    out(i) = corpus_mix(int(options%rank, i8), i, 4_i8)
  end do
  do side = 0, 1
    call MPI_Recv_init(in(1 + side * n:), n, MPI_INTEGER8, modulo(options%rank - 1 + 2 * side, options%ranks), side, &
      MPI_COMM_WORLD, receives(side))
    call MPI_Send_init(out(1 + side * n:), n, MPI_INTEGER8, modulo(options%rank + 1 - 2 * side, options%ranks), side, &
      MPI_COMM_WORLD, sends(side))
  end do
  do while (state(1) < options%steps)
    call sluice_potential_checkpoint()
    if (state(2) == 0) call start()
    call step()
    state(1) = state(1) + 1
    if (state(1) < options%steps) call start()
  end do
  do side = 0, 1
    call MPI_Request_free(receives(side))
    call MPI_Request_free(sends(side))
  end do
  call corpus_end(hash_of_integers(1_i8, out))

contains

  subroutine start()
    call MPI_Start(receives(0))
    call MPI_Start(receives(1))
    state(2) = 1
  end subroutine

  subroutine step()
    integer(i8) :: i
    call MPI_Startall(2, sends)
    call corpus_pause()
    call MPI_Waitall(2, receives, MPI_STATUSES_IGNORE)
    call MPI_Waitall(2, sends, MPI_STATUSES_IGNORE)
    do i = 1, 2 * options%size
      out(i) = corpus_mix(out(i), in(i), state(1))
    end do
    state(2) = 0
  end subroutine
end program
