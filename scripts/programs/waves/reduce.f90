! A reduction of our own whose order counts (products of matrices), and collectives of every flow of data.
module product_of_matrices
  use mpi_f08
  use corpus
  implicit none
  integer(i8), parameter :: prime = 1000003
  type(MPI_Datatype) :: matrix

contains

  pure function times(a, b) result(c)
    integer(i8), intent(in) :: a(4), b(4)
    integer(i8) :: c(4)
    c = mod([a(1) * b(1) + a(2) * b(3), a(1) * b(2) + a(2) * b(4), a(3) * b(1) + a(4) * b(3), a(3) * b(2) + a(4) * b(4)], &
      prime)
  end function

  subroutine multiply(left, right, n, type)
    type(c_ptr), value :: left, right
    integer :: n
    type(MPI_Datatype) :: type
    integer(i8), pointer :: a(:, :), b(:, :)
    integer :: i
    if (type /= matrix) return
    call c_f_pointer(left, a, [4, n])
    call c_f_pointer(right, b, [4, n])
    do i = 1, n
      b(:, i) = times(a(:, i), b(:, i))
    end do
  end subroutine
end module

program reduce
  use mpi_f08
  use corpus
  use product_of_matrices
  implicit none

  type(corpus_t) :: options
  integer(i8), pointer, contiguous :: step(:), here(:), in(:), out(:)
  type(MPI_Op) :: product
  integer :: n, ranks, root

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  ranks = options%ranks
  call protected_integers(step, 1_i8)
  call protected_integers(here, 4_i8)
  call protected_integers(in, (options%size + 3) * ranks)
  call protected_integers(out, (options%size + 3) * ranks)
  here = [1_i8, int(options%rank, i8), 2_i8, 3_i8]
  call MPI_Type_contiguous(4, MPI_INTEGER8, matrix)
  call MPI_Type_commit(matrix)
  call MPI_Op_create(multiply, .false., product)
  do while (step(1) < options%steps)
    call sluice_potential_checkpoint()
    root = int(mod(step(1), int(ranks, i8)))
    call reduce_in_order()
    call corpus_pause()
    call exchange()
    step(1) = step(1) + 1
  end do
  call MPI_Op_free(product)
  call MPI_Type_free(matrix)
  call corpus_end(hash_of_integers(1_i8, here))

contains

  subroutine fold(data)
    integer(i8), intent(in) :: data(:)
    integer(i8) :: hash
    integer :: i
    hash = 1
    do i = 1, size(data)
      hash = corpus_mix(hash, data(i), int(i, i8))
    end do
    do i = 1, 4
      here(i) = mod(here(i) + ibits(hash, 15 * (i - 1), 15), prime)
    end do
  end subroutine

  subroutine reduce_in_order()
    integer(i8) :: all(4), before(4), upto(4), at_root(4), mine(4)
    mine = here
    call MPI_Allreduce(mine, all, 1, matrix, product, MPI_COMM_WORLD)
    call MPI_Scan(mine, upto, 1, matrix, product, MPI_COMM_WORLD)
    call MPI_Exscan(mine, before, 1, matrix, product, MPI_COMM_WORLD)
    call MPI_Reduce(mine, at_root, 1, matrix, product, root, MPI_COMM_WORLD)
    if (options%rank == 0) before = [1, 0, 0, 1]
    call corpus_check(.not. any(times(before, mine) /= upto), "Scan is not Exscan times what is here")
    call fold(all)
    call fold(upto)
    if (options%rank == root) call fold(at_root)
  end subroutine

  ! Rank r gives rank s mod(r + s, 3) + 1 elements.
  subroutine exchange()
    integer :: counts(ranks), places(ranks), i
    do i = 1, n * ranks
      in(i) = corpus_mix(here(1 + mod(i, 4)), int(i, i8), step(1))
    end do
    counts = [(mod(options%rank + i, 3) + 1, i = 0, ranks - 1)]
    places = [(sum(counts(:i - 1)), i = 1, ranks)]
    call MPI_Alltoallv(in, counts, places, MPI_INTEGER8, out, counts, places, MPI_INTEGER8, MPI_COMM_WORLD)
    call fold(out(:sum(counts)))
    call MPI_Reduce_scatter_block(in, out, n, MPI_INTEGER8, MPI_BXOR, MPI_COMM_WORLD)
    call fold(out(:n))
    call MPI_Scatter(in, n, MPI_INTEGER8, out, n, MPI_INTEGER8, root, MPI_COMM_WORLD)
    call fold(out(:n))
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INTEGER8, MPI_COMM_WORLD)
    call fold(in(:n * ranks))
  end subroutine
end program
