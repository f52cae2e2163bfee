import { mailLanguages } from '@leitstand/contract/mailTemplates'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { DetailTabs } from '../../../ui/page/DetailPage.tsx'
import { OriginBadge } from './OriginBadge.tsx'
import { TemplateForm } from './TemplateForm.tsx'

/** One email: its words in each language. */
export function TemplatePage({ accountId, id }: { accountId: number; id: string }) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const language = one(search, 'words') === 'en' ? 'en' : 'de'
  const found = useQuery(api.mailTemplate.get.queryOptions({ input: { id, accountId, language } }))
  const back = (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon of={IconArrowLeft} />}
        onClick={() => update({ mail: undefined, words: undefined }, { push: true })}
      >
        {t('mailTemplates.all')}
      </Button>
    </div>
  )
  if (found.isError && !found.data)
    return (
      <Stack gap="md">
        {back}
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      </Stack>
    )
  const template = found.data
  const spoken = currentLanguage()
  const form = template ? (
    <TemplateForm key={language} accountId={accountId} template={template} />
  ) : (
    <Loading lines={10} />
  )
  return (
    <Stack gap="md">
      {back}
      {template ? (
        <div>
          <Group gap="sm">
            <Title order={2}>{template.title[spoken]}</Title>
            <OriginBadge {...template} prefix={null} />
          </Group>
          <Text size="sm" c="dimmed">
            {t('mailTemplates.goesTo', { readers: template.readers[spoken] })}
          </Text>
        </div>
      ) : null}
      {template?.isSpoken === false ? (
        <>
          <Text size="sm" maw={640}>
            {t('mailTemplates.oneText')}
          </Text>
          {form}
        </>
      ) : (
        <DetailTabs
          param="words"
          tabs={mailLanguages.map((key) => ({ key, label: t(`common.languages.${key}`), content: form }))}
        />
      )}
    </Stack>
  )
}
