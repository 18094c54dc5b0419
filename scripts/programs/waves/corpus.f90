! corpus.h for Fortran.
module corpus
  use iso_c_binding
  use sluice_mpi, only: sluice_potential_checkpoint, sluice_protect
  implicit none

  type, bind(C) :: corpus_t
    integer(c_int) :: rank, ranks
    integer(c_int64_t) :: steps, size
    logical(c_bool) :: free
  end type

  integer, parameter :: i8 = c_int64_t, r8 = c_double
  integer, private :: arrays = 1000 ! their ids; below are those of corpus_protected

  interface
    subroutine corpus_options_of_process(options) bind(C)
      import :: corpus_t
      type(corpus_t), intent(out) :: options
    end subroutine

    subroutine corpus_pause() bind(C)
    end subroutine

    pure function corpus_mix(a, b, c) bind(C)
      import :: c_int64_t
      integer(c_int64_t), value :: a, b, c
      integer(c_int64_t) :: corpus_mix
    end function

    function corpus_hash(hash, data, bytes) bind(C)
      import :: c_int64_t, c_size_t, c_ptr
      integer(c_int64_t), value :: hash
      type(c_ptr), value :: data
      integer(c_size_t), value :: bytes
      integer(c_int64_t) :: corpus_hash
    end function

    function corpus_protected(bytes) bind(C)
      import :: c_size_t, c_ptr
      integer(c_size_t), value :: bytes
      type(c_ptr) :: corpus_protected
    end function

    subroutine corpus_end(hash) bind(C)
      import :: c_int64_t
      integer(c_int64_t), value :: hash
    end subroutine

    subroutine corpus_spot() bind(C)
    end subroutine

    subroutine corpus_check_c(holds, what) bind(C, name="corpus_check")
      import :: c_bool, c_char
      logical(c_bool), value :: holds
      character(kind=c_char), intent(in) :: what(*)
    end subroutine
  end interface

contains

  subroutine corpus_check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    call corpus_check_c(logical(holds, c_bool), what // c_null_char)
  end subroutine

  ! As corpus_mix, between 0 and n - 1.
  pure integer function chance(a, b, c, n)
    integer(i8), intent(in) :: a, b, c
    integer, intent(in) :: n
    chance = int(iand(corpus_mix(a, b, c), int(z'7fffffff', i8)) / 7)
    chance = mod(chance, n)
  end function

  subroutine protected_integers(array, n)
    integer(i8), pointer, contiguous, intent(out) :: array(:)
    integer(i8), intent(in) :: n
    integer :: status
    allocate (array(max(n, 1_i8)))
    array = 0
    call sluice_protect(arrays, array, status)
    call corpus_check(status == 0, "sluice_protect")
    arrays = arrays + 1
  end subroutine

  subroutine protected_reals(array, n)
    real(r8), pointer, contiguous, intent(out) :: array(:)
    integer(i8), intent(in) :: n
    integer :: status
    allocate (array(max(n, 1_i8)))
    array = 0
    call sluice_protect(arrays, array, status)
    call corpus_check(status == 0, "sluice_protect")
    arrays = arrays + 1
  end subroutine

  function hash_of_integers(hash, array) result(all)
    integer(i8), intent(in) :: hash
    integer(i8), pointer, contiguous, intent(in) :: array(:)
    integer(i8) :: all
    all = corpus_hash(hash, c_loc(array), int(8 * size(array), c_size_t))
  end function

  function hash_of_reals(hash, array) result(all)
    integer(i8), intent(in) :: hash
    real(r8), pointer, contiguous, intent(in) :: array(:)
    integer(i8) :: all
    all = corpus_hash(hash, c_loc(array), int(8 * size(array), c_size_t))
  end function
end module
