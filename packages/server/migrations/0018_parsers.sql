-- Kinds of parsers. Which one a driver has belongs to its version, and with it the configuration.

alter table driver_versions
  -- {kind: single, fields} | {kind: multi, layouts} | {kind: function} …; function and elixir have their source in script
  add column parser jsonb not null default '{"kind": "function"}'
    check (parser ->> 'kind' in ('single', 'multi', 'function', 'url', 'elixir', 'unset')),
  -- variables computed from others: [{key, expression}]
  add column calculated jsonb not null default '[]';

update driver_versions v set parser = '{"kind": "unset"}'
from drivers d where d.id = v.driver_id and d.parser_kind = 'unset';

alter table drivers
  drop column parser_kind,
  -- {origin, sealed}: token for a parser that is reached by HTTP
  add column parser_secret jsonb;
