-- Rules with evaluations in the queue of slow rules: what follows must queue behind them, also after a restart.
create table rule_deferred (rule_id integer primary key references rules (id) on delete cascade);
