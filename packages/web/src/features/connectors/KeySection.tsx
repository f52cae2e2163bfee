import { connectorKeysMax } from '@leitstand/contract/bridge'
import { Button, Group, Select } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { keepFreshKey } from '../../lib/freshKeys.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'
import { type Connector, invalidateConnectors } from './queries.ts'

type Key = Connector['keys'][number]

/** Hours for which the previous keys can stay valid. */
const overlaps = ['0', '1', '24', '168', '720', '2160'] as const

/** The keys of a webhook: when each was last used, and creating a new one. */
export function KeySection({ connector }: { connector: Connector }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [asking, setAsking] = useState(false)
  const [ending, setEnding] = useState<Key | null>(null)
  const { keys } = connector
  return (
    <Section
      title={t('connectors.key.title')}
      description={t('connectors.key.text', { max: connectorKeysMax })}
      actions={
        <Button variant="default" leftSection={<Icon of={IconKey} />} onClick={() => setAsking(true)}>
          {t('connectors.key.make')}
        </Button>
      }
    >
      {keys.length === 0 ? (
        <EmptyState
          icon={IconKey}
          title={t('connectors.key.none')}
          text={t('connectors.key.noneText')}
          order={3}
          compact
        />
      ) : (
        <ul className={classes.keys}>
          {keys.map((key) => (
            <li key={key.id} className={classes.key}>
              <Fact label={t('connectors.key.hint')}>
                <span className={classes.mono}>…{key.hint}</span>
              </Fact>
              <Fact label={t('connectors.key.state')}>
                {key.endsAt === null ? (
                  <StatusBadge tone="ok" label={t('connectors.key.valid')} />
                ) : (
                  <StatusBadge
                    tone="warning"
                    label={t('connectors.key.until', { time: formatTime(key.endsAt) })}
                  />
                )}
              </Fact>
              <Fact label={t('connectors.key.lastUsed')}>
                <RelativeTime time={key.lastUsedAt} empty={t('connectors.key.never')} />
              </Fact>
              <Fact label={t('connectors.key.created')}>
                <RelativeTime time={key.createdAt} />
              </Fact>
              <Button variant="default" size="xs" onClick={() => setEnding(key)}>
                {t('connectors.key.end')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {asking ? <MakeKey connector={connector} onClose={() => setAsking(false)} /> : null}
      <ConfirmDanger
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title={t('connectors.key.endTitle', { hint: ending?.hint ?? '' })}
        text={t(keys.length === 1 ? 'connectors.key.endLastText' : 'connectors.key.endText')}
        confirmLabel={t('connectors.key.end')}
        onConfirm={async () => {
          if (ending === null) return
          await client.bridge.endKey({ id: connector.id, keyId: ending.id })
          await invalidateConnectors(cache)
          notifySuccess(t('connectors.key.endedNote'))
        }}
      />
    </Section>
  )
}

/** Creates a key; the user chooses how long the previous keys stay valid. */
function MakeKey({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [hours, setHours] = useState<string>('24')
  const make = useMutation({
    mutationFn: () => client.bridge.makeKey({ id: connector.id, overlapHours: Number(hours) }),
    onSuccess: async ({ key }) => {
      keepFreshKey(cache, connector.id, key)
      await invalidateConnectors(cache)
      notifySuccess(t('connectors.key.madeNote'))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('connectors.key.make')}
      text={t('connectors.key.makeText')}
      confirmLabel={t('connectors.key.makeConfirm')}
      onConfirm={() => make.mutate()}
      onCancel={onClose}
      busy={make.isPending}
    >
      <Group grow>
        <Select
          label={t('connectors.key.overlap')}
          data={overlaps.map((value) => ({ value, label: t(`connectors.key.overlaps.${value}`) }))}
          value={hours}
          allowDeselect={false}
          onChange={(value) => value !== null && setHours(value)}
        />
      </Group>
      {make.isError ? <ErrorText error={make.error} /> : null}
    </ConfirmDialog>
  )
}
