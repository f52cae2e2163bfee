-- Aggregates of a time series look at the values of one state in a period. Until now the source was another name for
-- a plain aggregate: existing ones stay what they are.
update states set source = 'aggregate' where source = 'timeseries-aggregate';

-- When computed states have to be evaluated although none of their sources changes: a period ends, a value leaves it.
-- No foreign key: rows of states that are gone are dropped when their turn comes.
create table state_clocks (
  state_id integer primary key,
  due_at timestamptz not null
);
create index state_clocks_due on state_clocks (due_at);
