import { Radio, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from '../../ui/forms/cards.module.css'
import type { DeviceValues } from '../devices/index.ts'
import { templatesOf, type useTemplateChoice } from './useTemplateChoice.ts'

const none = 'none'

interface TemplateStepProps {
  connectorId: number
  choice: Pick<ReturnType<typeof useTemplateChoice>, 'choose'> & { chosen: string | null }
  form: UseFormReturnType<DeviceValues>
}

/**
 * Whether to create the device from a template, which sets driver, states, rules and other shared settings.
 */
export function TemplateStep({ connectorId, choice, form }: TemplateStepProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 200)
  const list = useQuery({ ...templatesOf(connectorId, search), placeholderData: keepPreviousData })
  if (list.isLoadingError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <Loading />
  const { items, total } = list.data
  return (
    <Radio.Group
      label={t('devices.wizard.templateQuestion')}
      description={t('devices.wizard.templateHint')}
      value={choice.chosen ?? none}
      onChange={(id) => {
        choice.choose(id === none ? null : id)
        // Clear the driver that an earlier template set.
        form.setFieldValue('driverId', null)
        form.setFieldValue('driverVersion', null)
      }}
    >
      {total > items.length || text !== '' ? (
        <TextInput
          mt="sm"
          w={320}
          maw="100%"
          aria-label={t('templates.search')}
          placeholder={t('templates.search')}
          leftSection={<Icon of={IconSearch} size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : null}
      <div className={classes.cards}>
        <Radio.Card value={none} className={classes.card ?? ''}>
          <span className={classes.cardTitle}>
            <Radio.Indicator size="xs" />
            {t('devices.wizard.noTemplate')}
          </span>
          <span className={classes.cardText}>{t('devices.wizard.noTemplateText')}</span>
        </Radio.Card>
        {items.map((template) => (
          <Radio.Card key={template.id} value={String(template.id)} className={classes.card ?? ''}>
            <span className={classes.cardTitle}>
              <Radio.Indicator size="xs" />
              {template.title}
            </span>
            <span className={classes.cardText}>{template.description || template.driverTitle}</span>
            <span className={classes.cardText}>
              {t('devices.wizard.deviceCount', { count: template.deviceCount })}
            </span>
          </Radio.Card>
        ))}
      </div>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed" mt="sm">
          {t('list.nothingMatches')}
        </Text>
      ) : null}
    </Radio.Group>
  )
}
