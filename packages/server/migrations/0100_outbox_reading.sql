-- Reads the outbox by its order, whatever the statistics say: a plan made while it was empty read all of it for every
-- batch as soon as events waited.
create function outbox_batch(topics text[], after_xid xid8, after_id bigint, most integer, size_max integer, without integer[])
  returns table (horizon text, found integer, pending boolean, events json)
  language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
    with edge as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as at),
    first as materialized (
      select o.id, o.xid, o.topic, o.version, o.account_id, o.payload, o.at, pg_column_size(o.payload) as size
      from outbox o
      where (o.xid, o.id) > (after_xid, after_id) and o.xid < (select e.at from edge e)
        and o.topic = any(topics) and coalesce(o.account_id, 0) <> all(without)
      order by o.xid, o.id limit most),
    measured as (select *, sum(size) over (order by xid, id) - size as before from first),
    batch as (select * from measured where before < size_max)
    select (select e.at::text from edge e), (select count(*)::int from first),
      exists (select from outbox o where o.xid >= (select e.at from edge e) and o.topic = any(topics)),
      (select json_agg(json_build_object('id', id, 'xid', xid::text, 'topic', topic, 'version', version,
        'accountId', account_id, 'payload', payload, 'at', at, 'size', size) order by xid, id) from batch);
end $$;

-- The same for one account, between two places.
create function outbox_lane(topics text[], account integer, after_xid xid8, after_id bigint, last_xid xid8,
    last_id bigint, most integer, size_max integer)
  returns table (found integer, events json)
  language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
    with first as materialized (
      select o.id, o.xid, o.topic, o.version, o.account_id, o.payload, o.at, pg_column_size(o.payload) as size
      from outbox o
      where (o.xid, o.id) > (after_xid, after_id) and (o.xid, o.id) <= (last_xid, last_id)
        and coalesce(o.account_id, 0) = account and o.topic = any(topics)
      order by o.xid, o.id limit most),
    measured as (select *, sum(size) over (order by xid, id) - size as before from first),
    batch as (select * from measured where before < size_max)
    select (select count(*)::int from first),
      (select json_agg(json_build_object('id', id, 'xid', xid::text, 'topic', topic, 'version', version,
        'accountId', account_id, 'payload', payload, 'at', at, 'size', size) order by xid, id) from batch);
end $$;
