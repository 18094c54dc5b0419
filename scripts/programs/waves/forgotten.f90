! A local variable that keeps its value from call to call, as loop state does in many programs: a restart lacks it.
program forgets
  use mpi_f08
  use corpus
  implicit none

  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: state(:) ! the step, and a sum

  call MPI_Init()
  call corpus_options_of_process(options)
  call protected_integers(state, 2_i8)
  do while (state(1) < options%steps)
    call corpus_spot()
    call corpus_pause()
    call exchange()
    state(1) = state(1) + 1
  end do
  call corpus_end(state(2))

contains

  subroutine exchange()
    integer(i8), save :: turn = 0
    integer(i8) :: got
    turn = turn + 1
    call MPI_Sendrecv(turn, 1, MPI_INTEGER8, modulo(options%rank + 1, options%ranks), 4, &
        got, 1, MPI_INTEGER8, modulo(options%rank - 1, options%ranks), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    state(2) = state(2) + got
  end subroutine
end program
