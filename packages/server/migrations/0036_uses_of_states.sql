-- What uses a state is asked for every device whose driver changes.
create index widgets_states on widgets using gin (jsonb_path_query_array(config, 'strict $.**.stateIds[*]', '{}', true));
create index rules_actions on rules using gin (actions jsonb_path_ops);
