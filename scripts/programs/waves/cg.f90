! Conjugate gradients on a chain of points: two sums over all ranks in each step, bit for bit the same.
program cg
  use mpi_f08
  use corpus
  implicit none

  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: step(:)
  real(r8), pointer, contiguous :: rho(:), x(:), r(:), p(:), q(:)
  integer :: n, left, right
  integer(i8) :: i

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  left = merge(MPI_PROC_NULL, options%rank - 1, options%rank == 0)
  right = merge(MPI_PROC_NULL, options%rank + 1, options%rank + 1 == options%ranks)
  call protected_integers(step, 1_i8)
  call protected_reals(rho, 1_i8)
  call protected_reals(x, options%size)
  call protected_reals(r, options%size)
  call protected_reals(p, options%size + 2) ! a point more at each end
  call protected_reals(q, options%size)
  do i = 1, n
    r(i) = chance(options%rank * options%size + i, 0_i8, 0_i8, 1000) / 7.0_r8
  end do
  p(2:n + 1) = r
  do while (step(1) < options%steps)
    call sluice_potential_checkpoint()
    if (step(1) == 0) rho(1) = dot(r, r)
    call iterate()
    step(1) = step(1) + 1
  end do
  call corpus_end(hash_of_reals(hash_of_reals(1_i8, x), rho))

contains

  real(r8) function dot(a, b)
    real(r8), intent(in) :: a(:), b(:)
    dot = dot_product(a, b)
    call MPI_Allreduce(MPI_IN_PLACE, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function

  subroutine multiply()
    type(MPI_Request) :: requests(4)
    p(1) = 0
    p(n + 2) = 0
    call MPI_Irecv(p(1), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(p(n + 2), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(p(2), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(p(n + 1), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    q = 2.001_r8 * p(2:n + 1) - p(1:n) - p(3:n + 2)
  end subroutine

  subroutine iterate()
    real(r8) :: alpha, before
    call multiply()
    call corpus_pause()
    before = rho(1)
    alpha = before / dot(p(2:n + 1), q)
    x = x + alpha * p(2:n + 1)
    r = r - alpha * q
    rho(1) = dot(r, r)
    p(2:n + 1) = r + rho(1) / before * p(2:n + 1)
  end subroutine
end program
