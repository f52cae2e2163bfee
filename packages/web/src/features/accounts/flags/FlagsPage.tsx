import { type FeatureFlag, type FlaggedAccount, featureFlags } from '@leitstand/contract/featureFlags'
import { Anchor, Box, Modal, Stack, Text } from '@mantine/core'
import { IconPencil, IconToggleRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../../ui/list/types.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { idOf } from '../queries.ts'
import { FlagRows } from './FlagRows.tsx'
import classes from './flags.module.css'

const known = Object.keys(featureFlags) as FeatureFlag[]

/** What the console offers in each account, for administrators of the installation; `?edit=<id>` opens one. */
export default function FlagsPage() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const edited = idOf(one(search, 'edit') ?? '')
  const edit = (id: number) => update({ edit: String(id) }, { push: true })
  return (
    <>
      <ListPage<FlaggedAccount>
        name="feature-flags"
        title={t('screens.featureFlags.title')}
        description={t('accounts.flagsHint')}
        above={
          <Box mb="md">
            <Meanings />
          </Box>
        }
        columns={columns(t, edit)}
        query={({ offset, limit, search: text, filters }) =>
          api.flags.accounts.queryOptions({
            input: {
              offset,
              limit,
              search: text,
              setHere: known.filter((flag) => filters.setHere?.includes(flag)),
            },
          })
        }
        rowKey={({ id }) => id}
        rowMenu={({ id }) => [{ label: t('accounts.flagsSet'), icon: IconPencil, onClick: () => edit(id) }]}
        filters={[
          {
            key: 'setHere',
            label: t('accounts.flagsSetHere'),
            multiple: true,
            options: known.map((value) => ({ value, label: t(`accounts.flag.${value}`) })),
          },
        ]}
        searchPlaceholder={t('accounts.flagsSearch')}
        empty={<EmptyState icon={IconToggleRight} title={t('accounts.flagsEmpty')} />}
      />
      {Number.isSafeInteger(edited) && edited > 0 ? (
        <FlagsDialog key={edited} accountId={edited} onClose={() => update({ edit: undefined })} />
      ) : null}
    </>
  )
}

/** Each flag in plain words, with its value where no account sets it. */
function Meanings() {
  const { t } = useTranslation()
  return (
    <Section title={t('accounts.flagsMeaning')}>
      <dl className={classes.meanings}>
        {known.map((flag) => (
          <div key={flag}>
            <dt>{t(`accounts.flag.${flag}`)}</dt>
            <dd>
              {t(`accounts.flagAbout.${flag}`)}{' '}
              {t('accounts.flagsDefault', {
                value: t(featureFlags[flag] ? 'accounts.flagChoice.on' : 'accounts.flagChoice.off'),
              })}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function FlagsDialog({ accountId, onClose }: { accountId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const flags = useQuery(api.flags.list.queryOptions({ input: { id: accountId } }))
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={flags.data ? t('accounts.flagsOf', { account: flags.data.name }) : t('accounts.flagsSet')}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('accounts.flagsHint')}
        </Text>
        <FlagRows accountId={accountId} />
      </Stack>
    </Modal>
  )
}

function columns(t: TFunction, edit: (id: number) => void): ListColumn<FlaggedAccount>[] {
  return [
    {
      key: 'name',
      title: t('accounts.flagsAccount'),
      render: ({ id, name, parent }) => (
        <>
          <Anchor component="button" type="button" ta="left" onClick={() => edit(id)}>
            {name}
          </Anchor>
          {parent ? (
            <Text size="xs" c="dimmed">
              {t('accounts.flagsBelow', { account: parent.name })}
            </Text>
          ) : null}
        </>
      ),
      csv: ({ name }) => name,
    },
    ...known.map(
      (flag): ListColumn<FlaggedAccount> => ({
        key: flag,
        title: t(`accounts.flag.${flag}`),
        render: (account) => <Value account={account} flag={flag} />,
        csv: (account) => valueText(t, account, flag),
      }),
    ),
  ]
}

function Value({ account, flag }: { account: FlaggedAccount; flag: FeatureFlag }) {
  const { t } = useTranslation()
  const isOwn = account.flags.find((each) => each.flag === flag)?.source === 'own'
  return (
    <Text span size="sm" {...(isOwn ? { fw: 550 } : { c: 'dimmed' })}>
      {valueText(t, account, flag)}
    </Text>
  )
}

/** E.g. "Yes, inherited". */
function valueText(t: TFunction, { flags }: FlaggedAccount, flag: FeatureFlag): string {
  const found = flags.find((each) => each.flag === flag)
  if (!found) return '–'
  const value = t(found.effective ? 'accounts.flagChoice.on' : 'accounts.flagChoice.off')
  return t(`accounts.flagSource.${found.source}`, { value })
}
