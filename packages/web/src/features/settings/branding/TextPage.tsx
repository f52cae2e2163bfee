import { Box, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { AuthFrame, TermsText } from '../../people/index.ts'
import classes from './branding.module.css'

interface TextPageProps {
  title: string
  text: string | null | undefined
  query: Pick<UseQueryResult, 'error' | 'refetch'>
}

/** A legal text of the domain, readable before signing in. */
export function TextPage({ title, text, query }: TextPageProps) {
  const { t } = useTranslation()
  return (
    <AuthFrame title={title} wide>
      {text === undefined && query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      {text === undefined && !query.error ? <Loading lines={6} /> : null}
      {text === null ? <Text size="sm">{t('branding.noText')}</Text> : null}
      {text ? (
        <Box className={classes.text ?? ''}>
          <Suspense fallback={<Loading lines={6} />}>
            <TermsText text={text} heading="h2" />
          </Suspense>
        </Box>
      ) : null}
      <Text size="sm" mt="lg">
        <RouterLink to="/login">{t('branding.toStart')}</RouterLink>
      </Text>
    </AuthFrame>
  )
}
