import { Button, Group, Radio, Select, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from '../../ui/forms/cards.module.css'
import { DriverCard } from './DriverCard.tsx'

const pageSize = 24
const none = 'none'

/** In the server's order: own drivers, those used by the account's devices, the rest. */
const standings = ['own', 'used', 'other'] as const

interface DriverStepProps {
  accountId: string | null
  value: string | null
  onChange: (id: string | null) => void
}

/** The driver that decodes the payload; found by manufacturer, model or title. Optional. */
export function DriverStep(props: DriverStepProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 200)
  const [maker, setMaker] = useState<string | null>(null)
  const [shown, setShown] = useState(pageSize)
  const list = useQuery(
    api.devicedrivers.list.queryOptions({
      input: {
        limit: shown,
        search: search || undefined,
        ...(props.accountId === null ? {} : { offeredTo: Number(props.accountId) }),
        ...(maker === null ? {} : { manufacturers: [maker] }),
      },
      placeholderData: keepPreviousData,
    }),
  )
  if (list.isLoadingError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <Loading />
  const { items, total, manufacturers } = list.data
  return (
    <Radio.Group
      label={t('devices.wizard.driverQuestion')}
      description={t('devices.wizard.driverHint')}
      value={props.value ?? none}
      onChange={(id) => props.onChange(id === none ? null : id)}
    >
      <Group mt="sm" gap="sm">
        <TextInput
          w={320}
          maw="100%"
          aria-label={t('devices.wizard.searchDriver')}
          placeholder={t('devices.wizard.searchDriver')}
          leftSection={<Icon of={IconSearch} size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Select
          w={220}
          aria-label={t('drivers.field.manufacturer')}
          placeholder={t('drivers.field.manufacturer')}
          data={manufacturers.filter(Boolean)}
          value={maker}
          onChange={setMaker}
          searchable
          clearable
        />
      </Group>
      <div className={classes.cards}>
        <Radio.Card value={none} className={classes.card ?? ''}>
          <span className={classes.cardTitle}>
            <Radio.Indicator size="xs" />
            {t('devices.wizard.noDriver')}
          </span>
          <span className={classes.cardText}>{t('devices.wizard.noDriverText')}</span>
        </Radio.Card>
      </div>
      {standings.map((standing) => {
        const drivers = items.filter((driver) => (driver.standing ?? 'other') === standing)
        if (drivers.length === 0) return null
        return (
          <section key={standing} aria-labelledby={`drivers-${standing}`}>
            <Text id={`drivers-${standing}`} size="sm" fw={600} mt="lg">
              {t(`devices.wizard.drivers.${standing}`)}
            </Text>
            <div className={classes.cards}>
              {drivers.map((driver) => (
                <DriverCard key={driver.id} driver={driver} />
              ))}
            </div>
          </section>
        )
      })}
      {items.length === 0 ? (
        <Text size="sm" c="dimmed" mt="sm">
          {t('list.nothingMatches')}
        </Text>
      ) : null}
      {total > items.length ? (
        <Button variant="default" mt="sm" onClick={() => setShown(shown + pageSize)}>
          {t('devices.wizard.moreDrivers', { count: total - items.length })}
        </Button>
      ) : null}
    </Radio.Group>
  )
}
