-- States that have to be computed from others, noted by the transaction that stored the values they follow and deleted by
-- the one that stores what came out: a crash in between loses nothing. No foreign keys: it is written with every batch,
-- and rows of states that are gone are dropped when their turn comes.
create table derivations (
  id bigint generated always as identity primary key,
  -- of the computed states: accounts take turns
  account_id integer not null,
  -- the oldest of the values
  since timestamptz not null,
  state_ids integer[] not null
);
alter table derivations alter column state_ids set storage external;
create index derivations_account on derivations (account_id, id);
