import { filterFound } from '@leitstand/contract/search'
import { Badge, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './help.module.css'
import { type Description, operationsOf } from './operations.ts'

const colors: Record<string, string> = {
  GET: 'blue',
  POST: 'green',
  PUT: 'orange',
  PATCH: 'orange',
  DELETE: 'red',
}

/** The REST API: address, authentication, an example and all operations of its description. */
export default function ApiPage() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const base = `${location.origin}/api`
  const example = `curl -H "Authorization: Bearer $TOKEN" "${base}/virtualdevice?limit=5"`
  const description = useQuery({
    queryKey: ['openapi'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const reply = await fetch('/api/openapi.json', { signal })
      if (!reply.ok) throw new Error(`openapi.json: ${reply.status}`)
      return operationsOf((await reply.json()) as Description)
    },
  })
  const shown =
    description.data &&
    filterFound(description.data, text, ({ method, path, summary }) => [method, path, summary])
  return (
    <Stack gap="lg" maw={980}>
      <div>
        <Title order={1}>{t('screens.api.title')}</Title>
        <Text c="dimmed" size="sm">
          {t('apiInfo.intro')}
        </Text>
      </div>
      <Section>
        <Stack gap="sm">
          <Line label={t('apiInfo.base')} value={base} />
          <Line label={t('apiInfo.description')} value={`${base}/openapi.json`} />
          <Line label={t('apiInfo.example')} value={example} />
          <Text size="sm">
            <b>{t('apiInfo.auth')}:</b> {t('apiInfo.authText')}
          </Text>
        </Stack>
      </Section>
      <Section
        title={t('apiInfo.operations')}
        flush
        actions={
          <TextInput
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            placeholder={t('apiInfo.searchOperations')}
            aria-label={t('apiInfo.searchOperations')}
            leftSection={<Icon of={IconSearch} size={16} />}
            data-list-search
          />
        }
      >
        {description.isLoadingError ? (
          <ErrorState error={description.error} onRetry={() => void description.refetch()} compact />
        ) : null}
        {description.isPending ? <Loading /> : null}
        <ul className={classes.operations}>
          {shown?.map((operation) => (
            <li key={`${operation.method} ${operation.path}`} className={classes.operation}>
              <Badge color={colors[operation.method] ?? 'gray'} w={66}>
                {operation.method}
              </Badge>
              <Code className={classes.path}>{operation.path}</Code>
              <Text span size="sm" c="dimmed">
                {operation.summary}
              </Text>
            </li>
          ))}
        </ul>
      </Section>
    </Stack>
  )
}

function Line({ label, value }: { label: string; value: string }) {
  return (
    <div className={classes.line}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code className={classes.path}>{value}</Code>
        <CopyButton value={value} />
      </Group>
    </div>
  )
}
