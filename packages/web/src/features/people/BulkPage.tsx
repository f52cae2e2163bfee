import { Alert, Button, FileButton, Group, Stack, Switch, Text, Textarea } from '@mantine/core'
import { IconCheck, IconUpload, IconUsersPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { type SimpleColumn, SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { accountPath, idOf } from '../accounts/index.ts'
import { type ParsedRow, parseUsers, toUser } from './csv.ts'
import { type ReadRoles, readRoles } from './csvRoles.ts'
import { invalidateUsers } from './queries.ts'
import { useRoleNames } from './useRoleNames.ts'

const rowsMax = 500

/** A row with its roles. */
interface Row extends ParsedRow {
  read: ReadRoles
}

/** Server errors by line number. */
type Faults = ReadonlyMap<number, string>

interface Outcome {
  created: number
  faults: Faults
}

/** Creates users from a list: parses it, checks each row, creates the users and lists the failed rows. */
export default function BulkPage() {
  const { t } = useTranslation()
  const { tenantId } = useParams({ strict: false }) as { tenantId?: string }
  const id = idOf(tenantId)
  const account = useQuery(api.tenant.get.queryOptions({ input: { id } }))
  return (
    <DetailPage
      icon={IconUsersPlus}
      title={account.data ? t('screens.userBulk.title') : undefined}
      error={account.error}
      listPath="/account-mgmt"
      overline={<RouterLink to={accountPath(id, 'users')}>{account.data?.name ?? ''}</RouterLink>}
    >
      <BulkForm accountId={id} account={account.data} />
    </DetailPage>
  )
}

interface BulkFormProps {
  accountId: number
  account: { id: number; scopeId: number } | undefined
}

const noRoles: ReadRoles = { access: [], problem: null }
const isGood = (row: Row) => row.problem === null && row.read.problem === null

function BulkForm({ accountId, account }: BulkFormProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [text, setText] = useState('')
  const [invite, setInvite] = useState(true)
  const [faults, setFaults] = useState<Faults>(new Map())
  const [checked, setChecked] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const { names, error } = useRoleNames(account)
  const rows = parseUsers(text).map(
    (row): Row => ({ ...row, read: names && row.roles !== '' ? readRoles(row.roles, names) : noRoles }),
  )
  const good = rows.filter((row) => isGood(row) && !faults.has(row.line))
  const ready = names !== undefined || rows.every(({ roles }) => roles === '')
  const change = (next: string) => {
    setText(next)
    setFaults(new Map())
    setChecked(false)
    setOutcome(undefined)
    setFailure(undefined)
  }
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const named = (sent: readonly Row[], found: readonly { row: number; code: string }[]): Faults =>
    new Map(found.map(({ row, code }) => [sent[row]?.line ?? 0, t(`errors.${code}`)]))
  const validate = () =>
    run(async () => {
      const sent = rows.filter(isGood)
      const answer = await client.user.validate({ accountId, users: sent.map(toNewUser) })
      setFaults(named(sent, answer.faults))
      setChecked(true)
    })
  const create = () =>
    run(async () => {
      const answer = await client.user.createMany({ accountId, users: good.map(toNewUser), invite })
      setOutcome({ created: answer.created.length, faults: named(good, answer.faults) })
      await invalidateUsers(cache)
    })
  return (
    <Stack gap="md">
      <Section title={t('users.bulk.list')} description={t('users.bulk.hint')}>
        <Stack gap="sm">
          <CodeBlock code={t('users.bulk.example')} label={t('users.bulk.columns')} />
          <Textarea
            label={t('users.bulk.text')}
            autosize
            minRows={5}
            maxRows={14}
            value={text}
            onChange={(event) => change(event.currentTarget.value)}
            spellCheck={false}
          />
          <Group>
            <FileButton
              accept=".csv,text/csv,text/plain"
              onChange={(file) => void file?.text().then(change, setFailure)}
            >
              {(props) => (
                <Button {...props} variant="default" leftSection={<Icon of={IconUpload} />}>
                  {t('users.bulk.file')}
                </Button>
              )}
            </FileButton>
            <Switch
              label={t('users.bulk.invite')}
              checked={invite}
              onChange={(event) => setInvite(event.currentTarget.checked)}
            />
          </Group>
        </Stack>
      </Section>
      {rows.length > 0 && !outcome ? (
        <Section title={t('users.bulk.preview', { count: rows.length })}>
          <Preview rows={rows} faults={faults} />
        </Section>
      ) : null}
      {rows.length > rowsMax ? (
        <Alert color="red">{t('users.bulk.tooMany', { count: rowsMax })}</Alert>
      ) : null}
      {ready ? null : error ? <ErrorText error={error} /> : null}
      {failure === undefined ? null : <ErrorText error={failure} />}
      {outcome ? <Result outcome={outcome} rows={rows} accountId={accountId} /> : null}
      {rows.length > 0 && rows.length <= rowsMax && !outcome ? (
        <Group>
          <Button
            variant={checked ? 'default' : 'filled'}
            onClick={() => void validate()}
            loading={busy || (!ready && !error)}
            disabled={!ready}
          >
            {t('users.bulk.check')}
          </Button>
          {checked ? (
            <Button onClick={() => void create()} loading={busy} disabled={good.length === 0}>
              {t('users.bulk.create', { count: good.length })}
            </Button>
          ) : null}
        </Group>
      ) : null}
    </Stack>
  )
}

/** Without roles of its own a row gets the default roles of the account. */
function toNewUser(row: Row) {
  return { ...toUser(row), ...(row.read.access.length > 0 ? { access: row.read.access } : {}) }
}

function Preview({ rows, faults }: { rows: readonly Row[]; faults: Faults }) {
  const { t } = useTranslation()
  return (
    <SimpleTable
      label={t('users.bulk.list')}
      rows={rows.slice(0, rowsMax)}
      rowKey={({ line }) => line}
      spacing={6}
      columns={[
        {
          key: 'line',
          title: t('users.bulk.column.line'),
          card: 'fact',
          className: 'tabular',
          render: ({ line }) => line,
        },
        {
          key: 'result',
          title: t('users.bulk.column.result'),
          card: 'title',
          render: (row) => {
            const fault = row.problem
              ? t(`users.bulk.problem.${row.problem}`)
              : row.read.problem
                ? t(`users.bulk.rolesProblem.${row.read.problem.kind}`, { text: row.read.problem.text })
                : faults.get(row.line)
            return fault ? (
              <Text span size="sm" c="var(--health-error)">
                {fault}
              </Text>
            ) : (
              <Icon of={IconCheck} size={16} />
            )
          },
        },
        ...(['firstName', 'lastName', 'email', 'username', 'roles'] as const).map(
          (key): SimpleColumn<Row> => ({
            key,
            title: t(`users.bulk.column.${key}`),
            render: (row) => row[key] ?? '',
          }),
        ),
      ]}
    />
  )
}

function Result({ outcome, rows, accountId }: { outcome: Outcome; rows: readonly Row[]; accountId: number }) {
  const { t } = useTranslation()
  const left = rows.filter((row) => !isGood(row) || outcome.faults.has(row.line))
  return (
    <Section title={t('users.bulk.done', { count: outcome.created })}>
      <Stack gap="sm">
        {left.length > 0 ? <Preview rows={left} faults={outcome.faults} /> : null}
        <RouterLink to={accountPath(accountId, 'users')}>{t('users.backToAccount')}</RouterLink>
      </Stack>
    </Section>
  )
}
