! ring.c in Fortran, by `use mpi`.
program ring
  use mpi
  implicit none
  integer :: rank, size, rounds, count, round, next, before, error, done, now
  integer :: persistent(2), pair(2), which(2), status(MPI_STATUS_SIZE)
  integer, allocatable :: out(:), in(:)
  character(len=16) :: word
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call get_command_argument(1, word)
  read (word, *) rounds
  call get_command_argument(2, word)
  read (word, *) count
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  allocate (out(count + 1), in(count + 1))
  out = 0
  call MPI_Send_init(out, count, MPI_INTEGER, next, 5, MPI_COMM_WORLD, persistent(1), error)
  call MPI_Recv_init(in, count, MPI_INTEGER, before, 5, MPI_COMM_WORLD, persistent(2), error)
  do round = 0, rounds - 1
    select case (mod(round, 5))
    case (0)
      call MPI_Sendrecv(out, count, MPI_INTEGER, next, 0, &
        in, count, MPI_INTEGER, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    case (1)
      call MPI_Irecv(in, count + 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, pair(1), error)
      call MPI_Isend(out, count, MPI_INTEGER, next, 1, MPI_COMM_WORLD, pair(2), error)
      call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE, error)
    case (2)
      call MPI_Startall(2, persistent, error)
      call MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE, error)
    case (3)
      call MPI_Isend(out, count, MPI_INTEGER, next, 3, MPI_COMM_WORLD, pair(1), error)
      call MPI_Recv(in, count, MPI_INTEGER, before, 3, MPI_COMM_WORLD, status, error)
      call MPI_Wait(pair(1), MPI_STATUS_IGNORE, error)
    case default
      done = 0
      call MPI_Irecv(in, count, MPI_INTEGER, before, 4, MPI_COMM_WORLD, pair(1), error)
      call MPI_Issend(out, count, MPI_INTEGER, next, 4, MPI_COMM_WORLD, pair(2), error)
      do while (done < 2)
        call MPI_Testsome(2, pair, now, which, MPI_STATUSES_IGNORE, error)
        if (now /= MPI_UNDEFINED) done = done + now
      end do
    end select
  end do
  call MPI_Request_free(persistent(1), error)
  call MPI_Request_free(persistent(2), error)
  call MPI_Finalize(error)
end program ring
