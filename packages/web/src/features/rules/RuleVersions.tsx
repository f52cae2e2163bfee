import type { Rule, RuleVersion } from '@leitstand/contract/rules'
import { Accordion, Button, Drawer, Group, Text } from '@mantine/core'
import { IconVersions } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { TextDiff } from '../drivers/index.ts'
import { type DraftSource, type RuleDraft, toDraft } from './draft.ts'

/** As many as the server keeps. */
const versionsMax = 50

interface RuleVersionsProps {
  rule: Rule
  /** absent: the versions can only be looked at */
  onUse: ((draft: RuleDraft) => void) | undefined
  onClose: () => void
}

/** The versions of a rule, newest first, each compared with the one before it; an old one can be used again. */
export default function RuleVersions({ rule, onUse, onClose }: RuleVersionsProps) {
  const { t } = useTranslation()
  const list = useQuery(api.ddr.versions.queryOptions({ input: { id: rule.id, limit: versionsMax } }))
  const versions = list.data?.items as RuleVersion[] | undefined
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={780}
      title={t('rules.versions.title', { title: rule.title })}
    >
      {list.isError ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : versions === undefined ? (
        <Loading lines={6} />
      ) : versions.length === 0 ? (
        <EmptyState
          icon={IconVersions}
          title={t('rules.versions.empty')}
          text={t('rules.versions.emptyText')}
          compact
        />
      ) : (
        <Accordion variant="separated" chevronPosition="left">
          {versions.map((version, index) => (
            <Accordion.Item key={version.version} value={String(version.version)}>
              <Accordion.Control>
                <Heading version={version} isCurrent={version.version === rule.version} />
              </Accordion.Control>
              <Accordion.Panel>
                <Content
                  version={version}
                  before={versions[index + 1]}
                  onUse={version.version === rule.version ? undefined : onUse}
                />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Drawer>
  )
}

function Heading({ version, isCurrent }: { version: RuleVersion; isCurrent: boolean }) {
  const { t } = useTranslation()
  const fields = version.changed.map((name) => t(`rules.versions.fields.${name}`))
  return (
    <div>
      <Group gap="sm">
        <Text span fw={550} className="tabular">
          v{version.version}
        </Text>
        <Text span size="sm" className="tabular">
          {formatTime(version.at)}
        </Text>
        {isCurrent ? (
          <Text span size="sm" c="dimmed">
            {t('rules.versions.current')}
          </Text>
        ) : null}
      </Group>
      <Text size="sm" c="dimmed">
        {[version.by, fields.length > 0 ? t('rules.versions.changed', { fields: fields.join(', ') }) : '']
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  )
}

function Content(props: {
  version: RuleVersion
  before: RuleVersion | undefined
  onUse: ((draft: RuleDraft) => void) | undefined
}) {
  const { t } = useTranslation()
  const { version, before, onUse } = props
  const { rule } = version
  if (rule === null) return <Text size="sm">{t('rules.versions.unreadable')}</Text>
  return (
    <>
      {onUse ? (
        <Button
          variant="default"
          size="compact-md"
          mb="sm"
          onClick={() => onUse(toDraft(rule as DraftSource))}
        >
          {t('rules.versions.use')}
        </Button>
      ) : null}
      {before?.rule ? (
        <TextDiff
          before={textOf(before.rule)}
          after={textOf(rule)}
          caption={t('rules.versions.comparison', { before: before.version, after: version.version })}
          label={t('rules.versions.comparison', { before: before.version, after: version.version })}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t('rules.versions.first')}
        </Text>
      )}
    </>
  )
}

const textOf = (rule: object) => JSON.stringify(rule, null, 2)
