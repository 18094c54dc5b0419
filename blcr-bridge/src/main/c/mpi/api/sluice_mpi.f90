! Sluice: MPI programs that survive kills. sluice_mpi.h says what the procedures do and what a program must do.
!
!     use mpi_f08
!     use sluice_mpi
!     integer :: step
!     real(8), allocatable :: field(:, :)
!     ...
!     call sluice_protect(0, step)
!     call sluice_protect(1, field)
!     do while (step <= steps)
!       call sluice_potential_checkpoint()
!       ...
!
! Compile this file with the program, and link with -lsluice_mpi.
module sluice_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t, c_ptr, c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64, error_unit
  implicit none
  private
  public :: sluice_protect, sluice_protected_bytes, sluice_potential_checkpoint, sluice_restored

  interface
    integer(c_int) function protect(id, pointer, bytes) bind(C, name="sluice_protect")
      import :: c_int, c_size_t, c_ptr
      integer(c_int), value :: id
      type(c_ptr), value :: pointer
      integer(c_size_t), value :: bytes
    end function protect

    ! Returns the bytes that the first checkpoint spot will put back into the memory of this id; 0 for none.
    integer(c_size_t) function sluice_protected_bytes(id) bind(C, name="sluice_protected_bytes")
      import :: c_int, c_size_t
      integer(c_int), value :: id
    end function sluice_protected_bytes

    ! Marks a place where this rank can be checkpointed. Its address identifies it, so no procedure of this module
    ! stands between. Compile the loop that calls it without -funroll-loops: that makes several calls of one.
    subroutine sluice_potential_checkpoint() bind(C, name="sluice_potential_checkpoint")
    end subroutine sluice_potential_checkpoint

    ! Marks a place as a function does: returns 1 when it has put the state of a checkpoint back, else 0. Call it
    ! in place of the subroutine, never beside it: its place is another one.
    integer(c_int) function sluice_restored() bind(C, name="sluice_potential_checkpoint")
      import :: c_int
    end function sluice_restored
  end interface

  ! Protects memory, which then belongs to every checkpoint, by a number >= 0 as its name:
  !
  !     call sluice_protect(id, variable [, ierror])            a scalar or an array without gaps
  !     call sluice_protect(id, c_loc(target), bytes [, ierror])     anything else
  !
  ! `ierror` is 0, or less when the arguments make no sense; without it the program ends then. A variable keeps
  ! its place until it is protected again: an array that is allocated anew must be.
  interface sluice_protect
    module procedure protect_memory
    module procedure protect_int8
    module procedure protect_int16
    module procedure protect_int32
    module procedure protect_int64
    module procedure protect_real32
    module procedure protect_real64
    module procedure protect_complex32
    module procedure protect_complex64
    module procedure protect_logical
    module procedure protect_text
  end interface sluice_protect

contains

  subroutine protect_memory(id, pointer, bytes, ierror)
    integer, intent(in) :: id
    type(c_ptr), intent(in) :: pointer
    integer(c_size_t), intent(in) :: bytes
    integer, optional, intent(out) :: ierror

    call protect_all(id, pointer, bytes, .true., ierror)
  end subroutine protect_memory

  subroutine protect_int8(id, variable, ierror)
    integer, intent(in) :: id
    integer(int8), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_int8

  subroutine protect_int16(id, variable, ierror)
    integer, intent(in) :: id
    integer(int16), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_int16

  subroutine protect_int32(id, variable, ierror)
    integer, intent(in) :: id
    integer(int32), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_int32

  subroutine protect_int64(id, variable, ierror)
    integer, intent(in) :: id
    integer(int64), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_int64

  subroutine protect_real32(id, variable, ierror)
    integer, intent(in) :: id
    real(real32), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_real32

  subroutine protect_real64(id, variable, ierror)
    integer, intent(in) :: id
    real(real64), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_real64

  subroutine protect_complex32(id, variable, ierror)
    integer, intent(in) :: id
    complex(real32), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_complex32

  subroutine protect_complex64(id, variable, ierror)
    integer, intent(in) :: id
    complex(real64), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_complex64

  subroutine protect_logical(id, variable, ierror)
    integer, intent(in) :: id
    logical, target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_logical

  subroutine protect_text(id, variable, ierror)
    integer, intent(in) :: id
    character(*), target, intent(in) :: variable(..)
    integer, optional, intent(out) :: ierror

    call protect_all(id, c_loc(variable), size(variable, kind=c_size_t)*(storage_size(variable, c_size_t)/8), &
                     is_contiguous(variable), ierror)
  end subroutine protect_text

  subroutine protect_all(id, pointer, bytes, no_gaps, ierror)
    integer, intent(in) :: id
    type(c_ptr), intent(in) :: pointer
    integer(c_size_t), intent(in) :: bytes
    logical, intent(in) :: no_gaps
    integer, optional, intent(out) :: ierror
    integer, parameter :: invalid = -22
    integer :: status

    status = invalid
    if (no_gaps) status = protect(int(id, c_int), pointer, bytes)
    if (present(ierror)) then
      ierror = status
    else if (status < 0) then
      write (error_unit, '(a,i0,a)') 'sluice: sluice_protect(', id, &
        ', ...) needs a number >= 0 and an array without gaps; protect the whole array'
      error stop 3
    end if
  end subroutine protect_all
end module sluice_mpi
