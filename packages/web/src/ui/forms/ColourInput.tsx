import { ColorInput, type ColorInputProps, MantineThemeProvider } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** A field for a colour in hex, whose picker says what its controls are for. */
export function ColourInput(props: ColorInputProps) {
  const { t } = useTranslation()
  // The field hands its picker no labels.
  const defaultProps = { saturationLabel: t('colour.saturation'), hueLabel: t('colour.hue') }
  return (
    <MantineThemeProvider theme={{ components: { ColorPicker: { defaultProps } } }}>
      {/* Beside its field, so that who reads the page aloud finds it there and not after the end of the page. */}
      <ColorInput format="hex" withEyeDropper={false} popoverProps={{ withinPortal: false }} {...props} />
    </MantineThemeProvider>
  )
}
