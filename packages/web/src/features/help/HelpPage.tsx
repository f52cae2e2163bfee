import { Accordion, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { one, useUrlSearch } from '../../lib/url.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { FeedbackForm } from '../feedback/index.ts'

const questions = ['device', 'values', 'rights', 'keyboard'] as const
const sections = ['contact', 'imprint', 'privacy', 'licences'] as const

/**
 * Answers to frequent questions, a form for feedback, contact and the legal texts; `?section=imprint` scrolls
 * to that section.
 */
export default function HelpPage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const wanted = one(search, 'section')
  const places = useRef<Partial<Record<string, HTMLDivElement | null>>>({})
  useEffect(() => {
    if (wanted) places.current[wanted]?.scrollIntoView({ block: 'start' })
  }, [wanted])
  return (
    <Stack gap="lg" maw={820}>
      <Title order={1}>{t('screens.help.title')}</Title>
      <Section title={t('screens.manual.title')} description={t('manual.readText')}>
        <RouterLink to="/manual">{t('manual.read')}</RouterLink>
      </Section>
      <Section title={t('help.questions')} flush>
        <Accordion order={3} chevronPosition="left">
          {questions.map((key) => (
            <Accordion.Item key={key} value={key}>
              <Accordion.Control>{t(`help.q.${key}.q`)}</Accordion.Control>
              <Accordion.Panel>
                <Text size="sm" maw={660}>
                  {t(`help.q.${key}.a`)}
                </Text>
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      </Section>
      <FeedbackForm />
      {sections.map((key) => (
        <div
          key={key}
          style={{ scrollMarginTop: 72 }}
          ref={(node) => {
            places.current[key] = node
          }}
        >
          <Section title={t(`help.${key}`)}>
            <Text size="sm" maw={660}>
              {t(`help.${key}Text`)}
            </Text>
          </Section>
        </div>
      ))}
    </Stack>
  )
}
