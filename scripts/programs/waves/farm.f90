! Rank 0 gives out work in the order in which the others ask, and each answer depends on that order. In the
! end it checks what they got against the order it remembers.
program farm
  use mpi_f08
  use corpus
  implicit none

  integer, parameter :: round = 1, given = 2, chain = 3
  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: state(:), order(:), body(:)
  integer(i8), allocatable :: got(:)
  integer(i8) :: pieces

  call MPI_Init()
  call corpus_options_of_process(options)
  pieces = options%steps * (options%ranks - 1)
  call protected_integers(state, 3_i8)
  call protected_integers(order, pieces)
  call protected_integers(body, options%size)
  if (options%rank == 0) then
    call master()
  else
    call work()
  end if
  allocate (got(0:options%ranks - 1))
  call MPI_Gather(state(chain), 1, MPI_INTEGER8, got, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
  if (options%rank == 0) call check()
  call corpus_end(merge(state(given), 0_i8, options%rank == 0))

contains

  ! Unless it is free only questions of this round are heard, so all ranks pass as many spots.
  integer function tag()
    tag = merge(0, int(mod(state(round), 2_i8)), logical(options%free))
  end function

  subroutine master()
    integer :: i
    do while (state(round) <= options%steps)
      call sluice_potential_checkpoint()
      do i = 1, options%ranks - 1
        call answer_one()
      end do
      call corpus_pause()
      state(round) = state(round) + 1
    end do
  end subroutine

  subroutine answer_one()
    type(MPI_Status) :: status
    integer(i8) :: answer(3)
    call MPI_Recv(body, int(options%size), MPI_INTEGER8, MPI_ANY_SOURCE, tag(), MPI_COMM_WORLD, status)
    answer = [0_i8, 1_i8, 0_i8]
    if (state(given) < pieces) then
      order(state(given) + 1) = status%MPI_SOURCE
      state(chain) = corpus_mix(state(chain), int(status%MPI_SOURCE, i8), state(given))
      answer = [state(given), 0_i8, state(chain)]
    end if
    state(given) = state(given) + 1
    call MPI_Send(answer, 3, MPI_INTEGER8, status%MPI_SOURCE, 7, MPI_COMM_WORLD)
  end subroutine

  subroutine work()
    integer(i8) :: answer(3)
    answer = 0
    do while (answer(2) == 0)
      call sluice_potential_checkpoint()
      call corpus_pause()
      body(1) = state(chain)
      call MPI_Send(body, int(options%size), MPI_INTEGER8, 0, tag(), MPI_COMM_WORLD)
      call MPI_Recv(answer, 3, MPI_INTEGER8, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (answer(2) == 0) state(chain) = corpus_mix(state(chain), answer(1), answer(3))
      state(round) = state(round) + 1
    end do
  end subroutine

  ! What all others must have, by the order that is remembered.
  subroutine check()
    integer(i8) :: expected(0:options%ranks - 1), all, piece, source
    all = 0
    expected = 0
    do piece = 0, pieces - 1
      source = order(piece + 1)
      all = corpus_mix(all, source, piece)
      expected(source) = corpus_mix(expected(source), piece, all)
    end do
    call corpus_check(all == state(chain), "the order is not what was answered")
    call corpus_check(.not. any(got(1:) /= expected(1:)), "answers are those of another order")
  end subroutine
end program
