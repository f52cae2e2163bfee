-- How often a reader of a partition has begun at this position, and which packet was stored alone last: a packet that ends the
-- process that stores it would else end one node after the other.
alter table stream_positions
  add column starts integer not null default 0,
  add column alone_seq bigint,
  add column alone_index integer;
