-- The worst rank of the states of each digital twin (`twins/levels`): maps and trees look at all twins at once. Twins without
-- values to compare have no row. Kept by the server after each commit, and computed completely when it starts.
create table twin_levels (
  twin_id integer primary key,
  rank smallint not null
);
