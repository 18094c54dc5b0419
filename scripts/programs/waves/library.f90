! A library that duplicates the communicator it is given, once, and receives from any source with any tag there,
! while its caller has receives of any tag open on the original.
module library_of_sums
  use mpi_f08
  use corpus
  implicit none
  type(MPI_Comm) :: own = MPI_COMM_NULL
  private :: own

contains

  ! The sum of what all members have, by messages to rank 0 and back.
  integer(i8) function library_sum(communicator, here) result(sum)
    type(MPI_Comm), intent(in) :: communicator
    integer(i8), intent(in) :: here
    integer(i8) :: value
    integer :: rank, ranks, i
    if (own == MPI_COMM_NULL) call MPI_Comm_dup(communicator, own)
    call MPI_Comm_rank(own, rank)
    call MPI_Comm_size(own, ranks)
    sum = here
    if (rank /= 0) then
      call MPI_Send(here, 1, MPI_INTEGER8, 0, rank, own)
      call MPI_Recv(sum, 1, MPI_INTEGER8, 0, MPI_ANY_TAG, own, MPI_STATUS_IGNORE)
      return
    end if
    do i = 1, ranks - 1
      call MPI_Recv(value, 1, MPI_INTEGER8, MPI_ANY_SOURCE, MPI_ANY_TAG, own, MPI_STATUS_IGNORE)
      sum = ieor(sum, value)
    end do
    call MPI_Barrier(MPI_COMM_SELF)
    do i = 1, ranks - 1
      call MPI_Send(sum, 1, MPI_INTEGER8, i, int(iand(sum, 3_i8)), own)
    end do
  end function
end module

program library
  use mpi_f08
  use corpus
  use library_of_sums
  implicit none

  type :: state_t
    integer(i8) :: step, posted, value
    type(MPI_Request) :: any
  end type

  type(corpus_t) :: options
  type(state_t), pointer :: state
  integer(i8), pointer, contiguous :: got(:), sent(:)
  integer(i8) :: nothing
  integer :: n

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  call c_f_pointer(corpus_protected(int(storage_size(state) / 8, c_size_t)), state)
  call protected_integers(got, options%size)
  call protected_integers(sent, options%size)
  state%value = options%rank
  nothing = library_sum(MPI_COMM_WORLD, 0_i8) ! its setup, before the first spot
  do while (state%step < options%steps)
    call sluice_potential_checkpoint()
    if (state%posted == 0) call post()
    call step()
    state%step = state%step + 1
    if (state%step < options%steps) call post()
  end do
  call corpus_end(state%value)

contains

  subroutine post()
    call MPI_Irecv(got, n, MPI_INTEGER8, modulo(options%rank + 1, options%ranks), MPI_ANY_TAG, MPI_COMM_WORLD, state%any)
    state%posted = 1
  end subroutine

  subroutine step()
    type(MPI_Request) :: send
    type(MPI_Status) :: status
    integer(i8) :: sum, i
    do i = 1, options%size
      sent(i) = corpus_mix(state%value, i, 0_i8)
    end do
    call MPI_Isend(sent, n, MPI_INTEGER8, modulo(options%rank - 1, options%ranks), int(iand(state%value, 3_i8)), &
      MPI_COMM_WORLD, send)
    sum = library_sum(MPI_COMM_WORLD, state%value)
    call corpus_pause()
    call MPI_Wait(state%any, status)
    call MPI_Wait(send, MPI_STATUS_IGNORE)
    state%posted = 0
    state%value = corpus_mix(sum, hash_of_integers(int(status%MPI_TAG, i8), got), int(options%rank, i8))
  end subroutine
end program
