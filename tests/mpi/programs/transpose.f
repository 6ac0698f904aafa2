! transpose.c in Fortran, by mpif.h.
      program transpose
      implicit none
      include 'mpif.h'
      integer rank, size, rows, own, members, half, column, all, three
      integer to, i, error, next, before
      double precision, allocatable :: matrix(:), other(:)
      character*16 word
      call MPI_INIT(error)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, error)
      call get_command_argument(1, word)
      read (word, *) rows
      allocate (matrix(rows*rows*size), other(rows*rows*size))
      matrix = 0
      call MPI_ALLTOALL(matrix, rows*rows, MPI_DOUBLE_PRECISION,
     &  other, rows*rows, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
      call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,
     &  other, rows*rows, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
      call MPI_COMM_SPLIT(MPI_COMM_WORLD, mod(rank, 2), -rank, half,
     &  error)
      call MPI_COMM_RANK(half, own, error)
      call MPI_COMM_SIZE(half, members, error)
      call MPI_TYPE_VECTOR(rows, 1, rows*size, MPI_DOUBLE_PRECISION,
     &  column, error)
      call MPI_TYPE_COMMIT(column, error)
      do to = 0, members - 1
        do i = 1, rows
          if (to .ne. own) then
            call MPI_SENDRECV(matrix(i), 1, column, to, i, other, rows,
     &        MPI_DOUBLE_PRECISION, to, i, half, MPI_STATUS_IGNORE,
     &        error)
          end if
        end do
      end do
      call MPI_TYPE_FREE(column, error)
      call MPI_COMM_FREE(half, error)
      call MPI_COMM_DUP(MPI_COMM_WORLD, all, error)
      call MPI_TYPE_CONTIGUOUS(3, MPI_DOUBLE_PRECISION, three, error)
      call MPI_TYPE_COMMIT(three, error)
      next = mod(rank + 1, size)
      before = mod(rank + size - 1, size)
      call MPI_SENDRECV(matrix, 1, three, next, 0, other, 1, three,
     &  before, 0, all, MPI_STATUS_IGNORE, error)
      call MPI_TYPE_FREE(three, error)
      call MPI_COMM_FREE(all, error)
      call MPI_FINALIZE(error)
      end
