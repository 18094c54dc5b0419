! A step is a barrier and an exchange. Three steps out of four, some ranks have their spot before the barrier and
! others behind it, so that it straddles a line there.
program straddled
  use mpi_f08
  use corpus
  implicit none

  integer, parameter :: phase = 1, value = 2 ! phase, even: the barrier comes next, odd: the exchange
  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: state(:), got(:), sent(:)

  call MPI_Init()
  call corpus_options_of_process(options)
  call protected_integers(state, 2_i8)
  call protected_integers(got, options%size)
  call protected_integers(sent, options%size)
  state(value) = options%rank
  call corpus_spot()
  do while (state(phase) < 2 * options%steps)
    call corpus_pause()
    if (mod(state(phase), 2_i8) == 0) then
      call MPI_Barrier(MPI_COMM_WORLD)
    else
      call exchange()
    end if
    state(phase) = state(phase) + 1
    if (has_spot_here()) call corpus_spot()
  end do
  call corpus_end(state(value))

contains

  logical function has_spot_here()
    integer(i8) :: step
    logical :: behind
    step = state(phase) / 2
    behind = mod(step, 4_i8) /= 0 .and. chance(step, int(options%rank, i8), 0_i8, 2) == 1
    has_spot_here = mod(state(phase), 2_i8) == merge(1, 0, behind)
  end function

  subroutine exchange()
    type(MPI_Request) :: send
    integer(i8) :: i
    integer :: n
    n = int(options%size)
    do i = 1, options%size
      sent(i) = corpus_mix(state(value), i, state(phase))
    end do
    call MPI_Isend(sent, n, MPI_INTEGER8, modulo(options%rank + 1, options%ranks), 1, MPI_COMM_WORLD, send)
    call MPI_Recv(got, n, MPI_INTEGER8, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(send, MPI_STATUS_IGNORE)
    state(value) = hash_of_integers(state(value), got)
  end subroutine
end program
