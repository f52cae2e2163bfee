import { type MailTemplateSummary, mailAreas } from '@leitstand/contract/mailTemplates'
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { useUrlSearch } from '../../../lib/url.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { OriginBadge } from './OriginBadge.tsx'

/** All emails by area: what each is for, who gets it, and whose words it has. */
export function TemplateList({ accountId, actions }: { accountId: number; actions: ReactNode }) {
  const { t } = useTranslation()
  const found = useQuery(api.mailTemplate.list.queryOptions({ input: { accountId } }))
  if (found.isError && !found.data)
    return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Text size="sm" c="dimmed" maw={640}>
          {t('mailTemplates.hint')}
        </Text>
        {actions}
      </Group>
      {found.data ? (
        mailAreas.map((area) => (
          <Section key={area} title={t(`mailTemplates.area.${area}`)} flush>
            <Kinds area={area} kinds={found.data.items.filter((kind) => kind.area === area)} />
          </Section>
        ))
      ) : (
        <Loading lines={12} />
      )}
    </Stack>
  )
}

function Kinds({ area, kinds }: { area: MailTemplateSummary['area']; kinds: MailTemplateSummary[] }) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const language = currentLanguage()
  return (
    <SimpleTable
      label={t(`mailTemplates.area.${area}`)}
      inset="md"
      minWidth={640}
      rows={kinds}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'title',
          title: t('mailTemplates.column.title'),
          width: '32%',
          render: ({ id, title }) => (
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="left"
              onClick={() => update({ mail: id, words: undefined }, { push: true })}
            >
              {title[language]}
            </Anchor>
          ),
        },
        {
          key: 'readers',
          title: t('mailTemplates.column.readers'),
          render: ({ readers }) => readers[language],
        },
        {
          key: 'words',
          title: t('mailTemplates.column.words'),
          width: '30%',
          render: ({ isSpoken, words }) => (
            <Group gap={6}>
              {words.map((each) => (
                <OriginBadge
                  key={each.language}
                  {...each}
                  prefix={isSpoken ? each.language.toUpperCase() : null}
                />
              ))}
            </Group>
          ),
        },
      ]}
    />
  )
}
