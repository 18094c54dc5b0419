! Each rank sends every other one some messages of many sizes in a step, looks for what has come (Iprobe), and
! waits for any of its own (Waitany). The order in which they came goes with the next step's messages, and in the
! end all check that what they were told of it is what the others remember.
program poll
  use mpi_f08
  use corpus
  implicit none

  integer, parameter :: most = 3, sum = 2, arrivals = 3
  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: state(:), orders(:), told(:), inbox(:), outbox(:)
  type(MPI_Request), allocatable :: sends(:)
  integer :: n, turn, ranks, rank

  call MPI_Init()
  call corpus_options_of_process(options)
  ranks = options%ranks
  rank = options%rank
  call protected_integers(state, 3_i8) ! the step, sum, arrivals
  call protected_integers(orders, options%steps)
  call protected_integers(told, options%steps * ranks)
  call protected_integers(inbox, options%size + 2 + ranks)
  call protected_integers(outbox, most * ranks * (options%size + 2))
  allocate (sends(0:2 * most * ranks))
  do while (state(1) < options%steps)
    call sluice_potential_checkpoint()
    turn = int(mod(state(1), 2_i8))
    call send_all()
    call receive_all()
    call wait_for_sends()
    call pass_on()
    orders(state(1) + 1) = state(arrivals)
    state(1) = state(1) + 1
  end do
  call check()
  call corpus_end(state(sum))

contains

  integer function how_many(from, to)
    integer, intent(in) :: from, to
    how_many = 1 + chance(state(1), int(from, i8), int(to, i8), most)
  end function

  integer function length(from, number)
    integer, intent(in) :: from, number
    length = 2 + chance(state(1), int(from, i8), 77_i8 + number, int(options%size))
  end function

  subroutine send_all()
    integer :: to, i, first
    n = 0
    do to = 0, ranks - 1
      if (to == rank) cycle
      do i = 1, how_many(rank, to)
        first = n * (int(options%size) + 2)
        outbox(first + 1) = state(arrivals)
        outbox(first + 2) = corpus_mix(int(rank, i8), state(1), int(i, i8))
        call MPI_Isend(outbox(first + 1:), length(rank, i), MPI_INTEGER8, to, turn, MPI_COMM_WORLD, sends(n))
        n = n + 1
      end do
    end do
  end subroutine

  subroutine take(source)
    integer, intent(in) :: source
    type(MPI_Status) :: status
    integer :: got
    call MPI_Recv(inbox, int(options%size) + 2, MPI_INTEGER8, source, turn, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER8, got)
    state(sum) = state(sum) + iand(corpus_mix(inbox(2), int(source, i8), int(got, i8)), int(z'ffffffff', i8))
    state(arrivals) = corpus_mix(state(arrivals), int(source, i8), 0_i8)
    told(state(1) * ranks + source + 1) = inbox(1)
  end subroutine

  subroutine receive_all()
    type(MPI_Status) :: status
    logical :: there
    integer :: left, from
    left = 0
    do from = 0, ranks - 1
      if (from /= rank) left = left + how_many(from, rank)
    end do
    do while (left > 0)
      call MPI_Iprobe(MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, there, status)
      if (there) then
        call take(status%MPI_SOURCE)
        left = left - 1
      else
        call corpus_pause()
      end if
    end do
  end subroutine

  subroutine wait_for_sends()
    integer :: done, which
    do done = 1, n
      call MPI_Waitany(n, sends, which, MPI_STATUS_IGNORE)
    end do
  end subroutine

  ! One more message of each other rank, by receives of which any may be first.
  subroutine pass_on()
    integer(i8), target :: here
    logical :: open(0:2 * ranks - 1)
    integer :: other, done, which, i
    here = state(arrivals)
    sends(:2 * ranks - 1) = MPI_REQUEST_NULL
    do other = 0, ranks - 1
      if (other == rank) cycle
      call MPI_Irecv(inbox(other + 1), 1, MPI_INTEGER8, other, 5, MPI_COMM_WORLD, sends(other))
      call MPI_Isend(here, 1, MPI_INTEGER8, other, 5, MPI_COMM_WORLD, sends(ranks + other))
    end do
    do done = 1, 2 * (ranks - 1)
      open = [(sends(i) /= MPI_REQUEST_NULL, i = 0, 2 * ranks - 1)]
      call MPI_Waitany(2 * ranks, sends, which, MPI_STATUS_IGNORE)
      do i = 0, ranks - 1 ! by the request: mpi_f08 of MPICH 4.0 counts `which` from 0
        if (open(i) .and. sends(i) == MPI_REQUEST_NULL) &
          state(arrivals) = corpus_mix(state(arrivals), int(i, i8), inbox(i + 1))
      end do
    end do
  end subroutine

  ! What each was told before a step is what the other had at the end of the step before.
  subroutine check()
    integer(i8), allocatable :: all(:, :)
    integer(i8) :: step
    integer :: other
    allocate (all(options%steps, 0:ranks - 1))
    call MPI_Allgather(orders, int(options%steps), MPI_INTEGER8, all, int(options%steps), MPI_INTEGER8, MPI_COMM_WORLD)
    do other = 0, ranks - 1
      if (other == rank) cycle
      do step = 1, options%steps - 1
        call corpus_check(told(step * ranks + other + 1) == all(step, other), "it was told of another order")
      end do
    end do
  end subroutine
end program
