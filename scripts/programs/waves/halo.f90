! A plate whose rows are shared out; the receives of a step are posted before the spot behind which it is.
program halo
  use mpi_f08
  use corpus
  implicit none

  integer, parameter :: rows = 8

  type :: state_t
    integer(i8) :: step, posted
    type(MPI_Request) :: receives(2)
  end type

  type(corpus_t) :: options
  type(state_t), pointer :: state
  real(r8), pointer, contiguous :: plate(:), ghosts(:), cells(:, :), ghost(:, :, :)
  integer :: width, above, below
  integer(i8) :: i

  call MPI_Init()
  call corpus_options_of_process(options)
  width = int(options%size)
  above = merge(MPI_PROC_NULL, options%rank - 1, options%rank == 0)
  below = merge(MPI_PROC_NULL, options%rank + 1, options%rank + 1 == options%ranks)
  call c_f_pointer(corpus_protected(c_sizeof_state()), state)
  call protected_reals(plate, rows * options%size)
  call protected_reals(ghosts, 4 * options%size)
  cells(1:width, 1:rows) => plate
  ghost(1:width, 1:2, 0:1) => ghosts
  do i = 1, rows * options%size
    plate(i) = chance(int(options%rank, i8), i, 0_i8, 1000)
  end do

  do while (state%step < options%steps)
    call sluice_potential_checkpoint()
    if (state%posted == 0) call post(state%step)
    call exchange_and_relax(int(mod(state%step, 2_i8)))
    state%posted = 0
    state%step = state%step + 1
    if (state%step < options%steps) call post(state%step)
  end do
  call corpus_end(hash_of_reals(1_i8, plate))

contains

  integer(c_size_t) function c_sizeof_state()
    type(state_t) :: one
    c_sizeof_state = storage_size(one) / 8
  end function

  subroutine post(step)
    integer(i8), intent(in) :: step
    integer :: turn
    turn = int(mod(step, 2_i8))
    call MPI_Irecv(ghost(:, 1, turn), width, MPI_DOUBLE_PRECISION, above, turn, MPI_COMM_WORLD, state%receives(1))
    call MPI_Irecv(ghost(:, 2, turn), width, MPI_DOUBLE_PRECISION, below, turn, MPI_COMM_WORLD, state%receives(2))
    state%posted = 1
  end subroutine

  subroutine exchange_and_relax(turn)
    integer, intent(in) :: turn
    type(MPI_Request) :: sends(2)
    integer :: y
    call MPI_Isend(cells(:, 1), width, MPI_DOUBLE_PRECISION, above, turn, MPI_COMM_WORLD, sends(1))
    call MPI_Isend(cells(:, rows), width, MPI_DOUBLE_PRECISION, below, turn, MPI_COMM_WORLD, sends(2))
    call corpus_pause()
    do y = 2, rows - 1
      call relax(cells(:, y), cells(:, y - 1), cells(:, y + 1))
    end do
    call MPI_Waitall(2, state%receives, MPI_STATUSES_IGNORE)
    call MPI_Waitall(2, sends, MPI_STATUSES_IGNORE)
    call relax(cells(:, 1), ghost(:, 1, turn), cells(:, 2))
    call relax(cells(:, rows), cells(:, rows - 1), ghost(:, 2, turn))
  end subroutine

  subroutine relax(y, over, under)
    real(r8), intent(inout) :: y(:)
    real(r8), intent(in) :: over(:), under(:)
    real(r8) :: left, here
    integer :: x
    left = y(1)
    do x = 2, width - 1
      here = y(x)
      y(x) = 0.25_r8 * (left + y(x + 1) + over(x) + under(x))
      left = here
    end do
  end subroutine
end program
