// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the snippets are source text
import { describe, expect, test } from 'vitest'
import { accessesOf, type Schema } from './scan.ts'
import { readMigrations, readSql } from './sqlText.ts'

const schema: Schema = {
  tables: new Set(['users', 'roles', 'twins', 'alarms', 'rollups_5m', 'rollups_1h']),
  functions: new Map([
    ['purge', readSql('begin delete from twins where old; perform forget_roles(1); end')],
    ['forget_roles', readSql('delete from roles')],
  ]),
}

/** `+users` for a write, `-users` for a read. */
const usesOf = (source: string) =>
  accessesOf(source, schema).map(({ table, writes }) => `${writes ? '+' : '-'}${table}`)

describe('finds in Kysely', () => {
  test.each([
    ["db.insertInto('users').values(user).execute()", ['+users']],
    ["await trx\n  .updateTable('users')\n  .set({ name })", ['+users']],
    ["db.updateTable(['users', 'roles as r']).set({ name })", ['+users', '+roles']],
    ["db.deleteFrom('public.users as u').using('roles').where('id', '=', id)", ['+users', '-roles']],
    ["db.mergeInto('users as u').using('twins as t', 'u.id', 't.id').whenMatched()", ['+users', '-twins']],
    [
      "db.with('gone', (q) => q.deleteFrom('alarms').returning('id')).selectFrom('gone').selectAll()",
      ['+alarms'],
    ],
    [
      "db.selectFrom(['users as u', 'roles']).leftJoin('twins as t', 't.id', 'u.id')",
      ['-users', '-roles', '-twins'],
    ],
    ["db.selectFrom('users').where((eb) => eb.exists(eb.selectFrom('roles')))", ['-users', '-roles']],
    [
      "db.updateTable('users').from('roles').innerJoinLateral((eb) => eb.selectFrom('twins'), on)",
      ['+users', '-roles', '-twins'],
    ],
    ["const table: Table = given ? 'users' : 'roles'; db.deleteFrom(table)", ['+users', '+roles']],
    ['db.deleteFrom(table).execute()', ['+unknown']],
    ["db.selectFrom((eb) => eb.selectFrom('users').as('u'))", ['-users']],
  ])('%s', (source, expected) => {
    expect(usesOf(source).sort()).toEqual([...expected].sort())
  })
})

describe('finds in SQL', () => {
  test.each([
    ['sql`insert into users (name) values (${name})`', ['+users']],
    ['sql<Row>`\n  update users set name = ${name}`.execute(db)', ['+users']],
    [
      'sql`update only public.users as u set name = r.name from roles r, twins t`',
      ['+users', '-roles', '-twins'],
    ],
    ['sql`update users u ${set}`', ['+users']],
    ['sql`delete from "users" using roles where true`', ['+users', '-roles']],
    ['sql`MERGE INTO users u USING roles r ON true`', ['+users', '-roles']],
    ['sql`truncate table users, roles`', ['+users', '+roles']],
    ['client.query("copy users (id, name) from stdin binary")', ['+users']],
    ['client.query("copy users (id, name) to stdout")', ['-users']],
    ['sql`alter table users detach partition old`', ['+users']],
    ['sql`drop table if exists users`', ['+users']],
    [
      'sql`with gone as (delete from alarms returning id) select * from gone join users on true`',
      ['+alarms', '-users'],
    ],
    ['sql`with made as (insert into alarms (id) values (1)) update users set id = 1`', ['+alarms', '+users']],
    ["sql`insert into ${sql.table('users')} select 1`", ['+users']],
    ['sql`delete from ${sql.table(of)}`; const of = { users: 1, roles: 2 }[kind]', ['+users', '+roles']],
    ['sql`delete from ${sql.table(table)}`', ['+unknown']],
    ['sql`insert into rollups_${level} (id) values (1)`', ['+rollups_5m', '+rollups_1h']],
    ["pool.query('delete from users ' + 'where id in (select id from roles)')", ['+users', '-roles']],
    ['pool.query({ text: `/* prepared: a */ insert into users select * from roles` })', ['+users', '-roles']],
    ['sql`select purge(${id})`', ['+twins', '+roles']],
    ['const part = sql`left join lateral (select from roles) r on true`', ['-roles']],
  ])('%s', (source, expected) => {
    expect(usesOf(source).sort()).toEqual([...expected].sort())
  })
})

describe('takes for no access', () => {
  test.each([
    ['// delete from users\nconst a = 1 /* insert into roles */'],
    ["log.info('the roles come from users, update users now')"],
    ['const text = `deleted ${count} from ${place}`'],
    ["sql`select 'delete from users' as text -- from roles`"],
    ['sql`select 1 for no key update of users`'],
    ['sql`insert into others (id) values (1) on conflict (id) do update set id = 1`'],
    ['const rows = Array.from(users); list.join(roles)'],
    ['sql`select 1 where a is distinct from ${users}`'],
    ['sql`select * from ${everybody(users)} as all_of_them`'],
  ])('%s', (source) => {
    expect(usesOf(source)).toEqual([])
  })
})

test('names the line', () => {
  const source = "const a = 1\n\nsql`\n  with x as (select 1)\n  delete from users`\ndb.insertInto('roles')"
  expect(accessesOf(source, schema).map(({ table, line }) => [table, line])).toEqual([
    ['users', 5],
    ['roles', 6],
  ])
})

test('reads functions and triggers of migrations, the last definition of each', () => {
  const { functions, triggers } = readMigrations([
    `create function note() returns trigger language plpgsql as $$
     begin insert into old_notes (id) values (new.id); return null; end $$;
     create trigger users_note after update of name on users for each row
       when (old.name is distinct from new.name) execute function note();
     create trigger users_gone after delete on users for each row execute function note();`,
    `create or replace function note() returns trigger language plpgsql as $body$
     begin update notes set id = (select max(id) from roles); return null; end $body$;
     -- drop trigger users_note on users;
     drop trigger users_gone on users;`,
  ])
  expect(triggers).toEqual([{ table: 'users', runs: 'note' }])
  expect(functions.get('note')?.uses).toEqual([
    { table: 'notes', writes: true },
    { table: 'roles', writes: false },
  ])
})
