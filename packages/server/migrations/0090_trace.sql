-- Which values woke an evaluation, and the packet they came with: {"values": [[state, ms], …], "more": 0, "packet": {…}}.
alter table rule_executions add column woken jsonb;
