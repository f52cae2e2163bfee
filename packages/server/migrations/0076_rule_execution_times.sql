-- When a rule runs, see contract/rules/executionTimes.ts; null: always.
alter table rules add column execution_times jsonb;

-- Of evaluations outside of these times, too, only the last is kept.
drop index rule_executions_quiet;
create unique index rule_executions_quiet on rule_executions (rule_id, result)
  where result in ('not_met', 'aborted', 'outside_times');
