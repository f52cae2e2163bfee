-- Of evaluations that did nothing only the last one of each kind is kept per rule: this index lets it be replaced in
-- one statement, so that ten thousand of them a second do not fill the disk.
create unique index rule_executions_quiet on rule_executions (rule_id, result) where result in ('not_met', 'aborted');
