import { Button, Group, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import classes from './setup.module.css'
import { isSettled, shownStep } from './steps.ts'
import { useSetup } from './useSetup.ts'

/** Offers the guide until all of it is settled, or somebody puts it away. */
export default function SetupOffer() {
  const { t } = useTranslation()
  const { query, change } = useSetup()
  const setup = query.data
  if (!setup || setup.isPutAway || setup.steps.every(isSettled)) return null
  const putAway = () =>
    change.mutate({ isPutAway: true }, { onSuccess: () => notifySuccess(t('setup.putAwayNote')) })
  return (
    <section className={classes.offer} aria-labelledby="setup-offer">
      <div>
        <Title order={2} id="setup-offer">
          {t('setup.offer.title')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('setup.progress', {
            done: setup.steps.filter(isSettled).length,
            total: setup.steps.length,
          })}{' '}
          {t('setup.offer.next', { step: t(`setup.step.${shownStep(setup.steps, undefined)}.title`) })}
        </Text>
      </div>
      <Group gap={8}>
        <Button variant="default" loading={change.isPending} onClick={putAway}>
          {t('setup.putAway')}
        </Button>
        <Button renderRoot={(root) => <Link {...root} to="/setup" />}>{t('setup.offer.open')}</Button>
      </Group>
    </section>
  )
}
