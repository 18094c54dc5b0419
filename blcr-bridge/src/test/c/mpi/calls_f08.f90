! What calls.c does, as far as Fortran has anything of its own: requests, statuses, MPI_IN_PLACE, types, the module.
program calls_f08
  use mpi_f08
  use sluice_mpi
  implicit none
  integer :: rank, ranks, left, right, round, i, index, base, none, count, ierror, known
  integer :: indices(6)
  integer :: step
  logical :: flag
  integer, asynchronous :: got(6), out(6), one, all
  real(8), allocatable, asynchronous :: field(:, :)
  type(MPI_Request) :: requests(6), kept
  type(MPI_Status) :: status, statuses(6)
  type(MPI_Datatype) :: row
  type(MPI_Comm) :: half, copy
  type(MPI_Message) :: message

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  allocate (field(4, 10))
  call sluice_protect(0, step, known)
  call sluice_protect(1, field)
  if (sluice_protected_bytes(7) /= 70*known/4) error stop 'bytes'
  call MPI_Type_vector(10, 1, 4, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)

  do round = 1, 5
    call sluice_potential_checkpoint()
    field = rank
    call MPI_Irecv(field(1, 1), 1, row, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(field(4, 1), 1, row, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(field(3, 1), 1, row, right, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(field(2, 1), 1, row, left, 2, MPI_COMM_WORLD, requests(4))
    call check(requests(1) /= requests(2) .and. requests(1) /= MPI_REQUEST_NULL, 1)
    call MPI_Waitall(4, requests, statuses)
    call check(all_of(field(1, :), left) .and. all_of(field(4, :), right), 2)
    call check(statuses(1)%MPI_SOURCE == left .and. requests(4) == MPI_REQUEST_NULL, 3)

    do i = 1, 6
      call MPI_Irecv(got(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD, requests(i))
    end do
    do i = 6, 1, -1
      out(i) = 100*rank + i
      call MPI_Send(out(i), 1, MPI_INTEGER, right, 10 + i, MPI_COMM_WORLD)
    end do
    call MPI_Waitany(6, requests, index, status)
    base = status%MPI_TAG - 10 - index ! MPICH 4.0.2 counts from 0
    index = index + base
    call check(got(index) == 100*left + index .and. status%MPI_TAG == 10 + index, 4)
    call check(requests(index) == MPI_REQUEST_NULL, 5)
    one = 1
    do while (one < 6)
      call MPI_Testsome(6, requests, count, indices, statuses)
      do i = 1, count
        call check(got(indices(i) + base) == 100*left + indices(i) + base, 6)
      end do
      one = one + count
    end do
    call MPI_Testany(6, requests, index, flag, MPI_STATUS_IGNORE)
    none = index - MPI_UNDEFINED ! MPICH 4.2.1 counts it from 1
    call check(flag .and. (none == 0 .or. none == 1), 7)

    call MPI_Send_init(out, 1, MPI_INTEGER, right, 20, MPI_COMM_WORLD, requests(1))
    call MPI_Recv_init(got, 1, MPI_INTEGER, left, 20, MPI_COMM_WORLD, requests(2))
    kept = requests(2)
    do i = 1, 3
      out(1) = 10*rank + i
      call MPI_Startall(2, requests)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      flag = .false.
      do while (.not. flag)
        call MPI_Test(requests(2), flag, status)
      end do
      call check(got(1) == 10*left + i .and. requests(2) == kept, 8)
      call check(status%MPI_SOURCE == left, 9)
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    call check(requests(1) == MPI_REQUEST_NULL, 10)

    call MPI_Isend(rank, 1, MPI_INTEGER, right, 30, MPI_COMM_WORLD, requests(1))
    call MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, message, status)
    call check(status%MPI_TAG == 30 .and. message /= MPI_MESSAGE_NULL, 11)
    call MPI_Mrecv(one, 1, MPI_INTEGER, message, status)
    call check(one == left .and. message == MPI_MESSAGE_NULL, 12)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)

    one = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(one == ranks*(ranks + 1)/2, 13)
    one = rank
    call MPI_Iallreduce(one, all, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check(all == ranks - 1, 14)
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half)
    call MPI_Comm_dup(half, copy)
    call MPI_Barrier(copy)
    call MPI_Comm_free(half)
    call MPI_Comm_free(copy)

    call MPI_Irecv(one, 1, MPI_INTEGER, left, 77, MPI_COMM_WORLD, requests(1))
    call MPI_Cancel(requests(1))
    call MPI_Wait(requests(1), status)
    call MPI_Test_cancelled(status, flag)
    call check(flag, 15)
  end do
  call MPI_Type_free(row)
  call MPI_Finalize(ierror)
  if (rank == 0 .and. known == 4) print '(a,2(1x,i0))', 'ok layer, base', base, none
  if (rank == 0 .and. known == 0) print '(a,2(1x,i0))', 'ok plain, base', base, none

contains

  logical function all_of(values, value)
    real(8), intent(in) :: values(:)
    integer, intent(in) :: value
    all_of = count_of(values, value) == size(values)
  end function all_of

  integer function count_of(values, value)
    real(8), intent(in) :: values(:)
    integer, intent(in) :: value
    integer :: at
    count_of = 0
    do at = 1, size(values)
      if (values(at) == real(value, 8)) count_of = count_of + 1
    end do
  end function count_of

  subroutine check(right, which)
    logical, intent(in) :: right
    integer, intent(in) :: which
    if (right) return
    print '(a,i0,a,i0)', 'rank ', rank, ': not check ', which
    call MPI_Abort(MPI_COMM_WORLD, 9)
  end subroutine check
end program calls_f08
