import { Button } from '@mantine/core'
import { IconArrowLeft, IconFileUnknown } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { Icon } from '../display/Icon.tsx'
import { EmptyState } from './EmptyState.tsx'

/**
 * Whether what was asked for is not there (404, also where the caller may not see it) or cannot be there, its address being
 * none that a thing has (400): nothing that trying again would change.
 */
export function isMissing(error: unknown): boolean {
  const { status } = describeError(error)
  return status === 404 || status === 400
}

/** A page of something that is not there: what may have happened, and the way back to the list. */
export function NotFound({ error, listPath }: { error: unknown; listPath: string }) {
  const { t } = useTranslation()
  const { status, text } = describeError(error)
  return (
    <EmptyState
      order={1}
      icon={IconFileUnknown}
      title={t('common.notFound')}
      text={status === 404 ? `${text} ${t('common.notFoundHint')}` : t('common.notFoundHint')}
      action={
        <Button
          leftSection={<Icon of={IconArrowLeft} size={16} />}
          renderRoot={(root) => <Link {...root} to={listPath} />}
        >
          {t('common.toList')}
        </Button>
      }
    />
  )
}
