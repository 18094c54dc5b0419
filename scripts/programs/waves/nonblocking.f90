! Non-blocking collectives of a step are begun before its spot and end behind it.
program nonblocking
  use mpi_f08
  use corpus
  implicit none

  type :: state_t
    integer(i8) :: step, begun, value
    type(MPI_Request) :: open(4)
  end type

  type(corpus_t) :: options
  type(state_t), pointer :: state
  integer(i8), pointer, contiguous :: given(:), sums(:), from_root(:), mine(:), all(:)
  integer :: n

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  call c_f_pointer(corpus_protected(int(storage_size(state) / 8, c_size_t)), state)
  call protected_integers(given, options%size)
  call protected_integers(sums, options%size)
  call protected_integers(from_root, options%size)
  call protected_integers(mine, 1_i8)
  call protected_integers(all, int(options%ranks, i8))
  state%value = options%rank
  do while (state%step < options%steps)
    call sluice_potential_checkpoint()
    if (state%begun == 0) call begin()
    call step()
    state%step = state%step + 1
    if (state%step < options%steps) call begin()
  end do
  call corpus_end(state%value)

contains

  subroutine begin()
    integer(i8) :: i
    integer :: root
    root = int(mod(state%step, int(options%ranks, i8)))
    do i = 1, options%size
      given(i) = corpus_mix(state%value, i, state%step)
    end do
    from_root = merge(given, 0_i8, options%rank == root)
    mine(1) = state%value
    call MPI_Iallreduce(given, sums, n, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, state%open(1))
    call MPI_Ibcast(from_root, n, MPI_INTEGER8, root, MPI_COMM_WORLD, state%open(2))
    call MPI_Iallgather(mine, 1, MPI_INTEGER8, all, 1, MPI_INTEGER8, MPI_COMM_WORLD, state%open(3))
    call MPI_Ibarrier(MPI_COMM_WORLD, state%open(4))
    state%begun = 1
  end subroutine

  subroutine step()
    integer :: done, some, which(4)
    integer(i8) :: hash
    call corpus_pause()
    done = 0
    do while (done < 4)
      call MPI_Waitsome(4, state%open, some, which, MPI_STATUSES_IGNORE)
      done = done + some
    end do
    state%begun = 0
    hash = hash_of_integers(hash_of_integers(hash_of_integers(1_i8, sums), from_root), all)
    state%value = corpus_mix(hash, state%value, int(options%rank, i8))
  end subroutine
end program
