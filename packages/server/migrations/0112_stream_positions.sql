-- How far each partition of the stream of packets is committed. `stream` says when the stream was made: another one counts from
-- the beginning.
create table stream_positions (
  partition integer primary key,
  stream text not null,
  seq bigint not null
);
