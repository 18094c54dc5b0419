! Columns, records with gaps and scattered elements travel as derived types; the gaps must stay as they are.
program types
  use mpi_f08
  use corpus
  implicit none

  integer, parameter :: columns = 6

  type, bind(C) :: record
    character(c_char) :: kind
    real(c_double) :: value
    integer(c_int16_t) :: number
  end type

  type :: state_t
    integer(i8) :: step, posted
    type(MPI_Request) :: column, records
  end type

  type(corpus_t) :: options
  type(state_t), pointer :: state
  real(r8), pointer, contiguous :: plate(:), rows(:, :)
  type(record), pointer, contiguous :: here(:), there(:)
  integer(c_int8_t), pointer, contiguous :: bytes(:)
  integer(i8), pointer, contiguous :: scattered(:)
  type(MPI_Datatype) :: column, records, every_third
  type(c_ptr) :: here_at, there_at
  integer(c_size_t) :: record_bytes
  integer(i8) :: hash
  integer :: n, i

  call MPI_Init()
  call corpus_options_of_process(options)
  n = int(options%size)
  call c_f_pointer(corpus_protected(int(storage_size(state) / 8, c_size_t)), state)
  call protected_reals(plate, options%size * (columns + 2))
  rows(0:columns + 1, 1:n) => plate
  record_bytes = n * c_sizeof(record(' ', 0, 0_c_int16_t))
  here_at = corpus_protected(record_bytes)
  there_at = corpus_protected(record_bytes)
  call protected_integers(scattered, 3 * options%size)
  call c_f_pointer(here_at, bytes, [record_bytes])
  bytes = int(85 + options%rank, c_int8_t)
  call c_f_pointer(there_at, bytes, [record_bytes])
  bytes = 17
  call c_f_pointer(here_at, here, [n])
  call c_f_pointer(there_at, there, [n])
  do i = 1, n
    rows(columns, i) = chance(int(options%rank, i8), int(i, i8), 1_i8, 100)
    here(i)%value = 1.0_r8 / i
    scattered(3 * i - 2) = options%rank
  end do
  call make_types()
  do while (state%step < options%steps)
    call sluice_potential_checkpoint()
    if (state%posted == 0) call post()
    call exchange()
    call compute()
    state%step = state%step + 1
    if (state%step < options%steps) call post()
  end do
  call MPI_Type_free(column)
  call MPI_Type_free(records)
  call MPI_Type_free(every_third)
  hash = corpus_hash(hash_of_reals(1_i8, plate), here_at, record_bytes)
  call corpus_end(hash_of_integers(corpus_hash(hash, there_at, record_bytes), scattered))

contains

  subroutine make_types()
    type(MPI_Datatype) :: packed
    integer(MPI_ADDRESS_KIND) :: places(3), base
    integer :: i
    call MPI_Type_vector(n, 1, columns + 2, MPI_DOUBLE_PRECISION, column)
    call MPI_Get_address(here(1), base)
    call MPI_Get_address(here(1)%kind, places(1))
    call MPI_Get_address(here(1)%value, places(2))
    call MPI_Get_address(here(1)%number, places(3))
    call MPI_Type_create_struct(3, [1, 1, 1], places - base, [MPI_CHARACTER, MPI_DOUBLE_PRECISION, MPI_INTEGER2], packed)
    call MPI_Type_create_resized(packed, 0_MPI_ADDRESS_KIND, int(record_bytes / n, MPI_ADDRESS_KIND), records)
    call MPI_Type_free(packed)
    call MPI_Type_create_indexed_block(n, 1, [(3 * i, i = 0, n - 1)], MPI_INTEGER8, every_third)
    call MPI_Type_commit(column)
    call MPI_Type_commit(records)
    call MPI_Type_commit(every_third)
  end subroutine

  integer function next_rank(by)
    integer, intent(in) :: by
    next_rank = modulo(options%rank + by, options%ranks)
  end function

  subroutine post()
    call MPI_Irecv(rows(0, 1), 1, column, next_rank(-1), 1, MPI_COMM_WORLD, state%column)
    call MPI_Irecv(there(1)%kind, n, records, next_rank(-1), 2, MPI_COMM_WORLD, state%records)
    state%posted = 1
  end subroutine

  subroutine exchange()
    type(MPI_Request) :: sends(3)
    call MPI_Isend(rows(columns, 1), 1, column, next_rank(1), 1, MPI_COMM_WORLD, sends(1))
    call MPI_Isend(here(1)%kind, n, records, next_rank(1), 2, MPI_COMM_WORLD, sends(2))
    call MPI_Isend(scattered(1), 1, every_third, next_rank(2), 3, MPI_COMM_WORLD, sends(3))
    call corpus_pause()
    call MPI_Recv(scattered(2), 1, every_third, next_rank(-2), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Waitall(3, sends, MPI_STATUSES_IGNORE)
    call MPI_Wait(state%column, MPI_STATUS_IGNORE)
    call MPI_Wait(state%records, MPI_STATUS_IGNORE)
    state%posted = 0
  end subroutine

  subroutine compute()
    integer :: x, y
    do y = 1, n
      do x = 1, columns
        rows(x, y) = 0.5_r8 * (rows(x - 1, y) + rows(x, y))
      end do
      here(y)%value = there(y)%value + rows(columns, y)
      here(y)%number = there(y)%number + 1_c_int16_t
      here(y)%kind = achar(ieor(iachar(there(y)%kind), mod(y, 128)))
      scattered(3 * y - 2) = mod(3 * scattered(3 * y - 1), 1000003_i8) + state%step
      scattered(3 * y) = scattered(3 * y) + 1
    end do
  end subroutine
end program
