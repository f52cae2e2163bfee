import { Collapse, Text, UnstyledButton } from '@mantine/core'
import { IconCheck, IconChevronRight, IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { StatusBadge, type Tone } from '../../../ui/display/Badges.tsx'
import { Icon, type IconType } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { TextDiff } from '../../drivers/index.ts'
import type { Template, TemplateChange } from '../queries.ts'
import classes from '../templates.module.css'

const looks: Record<TemplateChange['kind'], { tone: Tone; icon: IconType }> = {
  added: { tone: 'ok', icon: IconPlus },
  changed: { tone: 'accent', icon: IconPencil },
  removed: { tone: 'error', icon: IconMinus },
}

/** Differences between the draft and the productive template, and how many devices they affect. */
export function ChangeList({ template }: { template: Pick<Template, 'id' | 'deviceCount'> }) {
  const { t } = useTranslation()
  const changes = useQuery(api.deviceTemplate.changes.queryOptions({ input: { id: template.id } }))
  if (changes.isError && !changes.data)
    return <ErrorState error={changes.error} onRetry={() => void changes.refetch()} compact />
  if (!changes.data) return <Loading lines={4} />
  const { items } = changes.data
  return (
    <Section title={t('templates.changes')} description={t('templates.changesText')} flush>
      {items.length === 0 ? (
        <EmptyState
          icon={IconCheck}
          title={t('templates.noChanges')}
          text={t('templates.noChangesText')}
          compact
        />
      ) : (
        <ul className={classes.changes}>
          {items.map((change) => (
            <Change
              key={`${change.section} ${change.key}`}
              change={change}
              hasDevices={template.deviceCount > 0}
            />
          ))}
        </ul>
      )}
    </Section>
  )
}

function Change({ change, hasDevices }: { change: TemplateChange; hasDevices: boolean }) {
  const { t } = useTranslation()
  const id = useId()
  const [open, setOpen] = useState(false)
  const section = t(`templates.section.${change.section}`)
  const name = change.title || (change.section === 'property' ? change.key : '')
  return (
    <li className={classes.change}>
      <UnstyledButton
        className={classes.changeHead ?? ''}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <span className={classes.chevron} data-open={open || undefined}>
          <Icon of={IconChevronRight} size={16} />
        </span>
        <span className={classes.changeText}>
          <b>{name ? `${section}: ${name}` : section}</b>
          <StatusBadge {...looks[change.kind]} label={t(`templates.kind.${change.kind}`)} />
        </span>
        {hasDevices ? (
          <Text span size="sm" c="dimmed">
            {change.devices === 0
              ? t('templates.newDevicesOnly')
              : t('bulk.devices', { count: change.devices })}
          </Text>
        ) : null}
      </UnstyledButton>
      <Collapse expanded={open} id={id}>
        {open ? (
          <div className={classes.diff}>
            <TextDiff
              before={pretty(change.before)}
              after={pretty(change.after)}
              caption={t('templates.diffCaption')}
            />
          </div>
        ) : null}
      </Collapse>
    </li>
  )
}

function pretty(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
