-- What the conditions of a rule remember between its evaluations, by condition, and when they must be evaluated again
-- although no value arrives.
alter table rule_live add column memory jsonb, add column due_at timestamptz;
create index rule_live_due on rule_live (due_at) where due_at is not null;
