import { type Action, actions, type Subject, subjects } from '@leitstand/contract/permissions'
import { Alert, Select, Stack, Text } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { choicesMax } from '../../ui/accounts/accountTree.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import fields from '../../ui/forms/fields.module.css'
import type { Whose } from './InsightPanel.tsx'
import { answerLines, type InsightAnswer } from './insight.ts'
import { useScopeChoices } from './queries.ts'

interface QuestionProps extends Whose {
  scopeId: number
  onScope: (scopeId: number) => void
}

/** "May they do this there?", answered with the reason as soon as everything is chosen. */
export function InsightQuestion({ of, id, scopeId, onScope }: QuestionProps) {
  const { t } = useTranslation()
  const scopes = useScopeChoices()
  const [subject, setSubject] = useState<Subject | null>(null)
  const [action, setAction] = useState<Action | null>(null)
  const isAsked = subject !== null && action !== null
  const answer = useQuery(
    api.insight.ask.queryOptions({
      input: { of, id, subject: subject ?? 'all', action: action ?? 'read', scopeId },
      enabled: isAsked,
    }),
  )
  return (
    <Stack gap="sm">
      <div className={fields.fitted}>
        <Select
          label={t('users.insight.may')}
          placeholder={t('users.insight.choose')}
          data={actions.map((value) => ({ value, label: t(`permissions.actions.${value}`) }))}
          value={action}
          onChange={(value) => setAction(value as Action | null)}
        />
        <Select
          label={t('users.insight.what')}
          placeholder={t('users.insight.choose')}
          data={subjects.map((value) => ({
            value,
            label: t(`permissions.subjects.${value.replace('.', '_')}`),
          }))}
          value={subject}
          onChange={(value) => setSubject(value as Subject | null)}
          searchable
          nothingFoundMessage={t('common.nothingFound')}
        />
        <Select
          label={t('users.explain.where')}
          data={scopes}
          limit={choicesMax}
          value={String(scopeId)}
          onChange={(value) => value !== null && onScope(Number(value))}
          allowDeselect={false}
          searchable
          nothingFoundMessage={t('common.nothingFound')}
        />
      </div>
      {!isAsked ? null : answer.isError ? (
        <ErrorText error={answer.error} />
      ) : answer.data ? (
        <Answer answer={answer.data} />
      ) : (
        <Loading lines={2} />
      )}
    </Stack>
  )
}

function Answer({ answer }: { answer: InsightAnswer }) {
  const { t } = useTranslation()
  const { allowed } = answer.explanation
  return (
    <Alert
      role="status"
      color={allowed ? 'teal' : 'gray'}
      icon={<Icon of={allowed ? IconCheck : IconX} />}
      title={t(allowed ? 'users.insight.yes' : 'users.insight.no')}
    >
      {answerLines(t, answer).map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Alert>
  )
}
