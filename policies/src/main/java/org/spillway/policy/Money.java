package org.spillway.policy;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * An amount in the head's one configured currency, in millionths of its unit. Exact integer arithmetic that throws
 * {@link ArithmeticException} on overflow rather than wrapping: a wrapped budget would read as "money left".
 */
public record Money(long micros) implements Comparable<Money> {
    public static final Money ZERO = new Money(0);
    private static final BigDecimal MICROS = BigDecimal.valueOf(1_000_000);
    private static final BigDecimal BYTES_PER_GIGABYTE = BigDecimal.valueOf(1_000_000_000);
    private static final BigDecimal NANOS_PER_HOUR = BigDecimal.valueOf(3_600_000_000_000L);

    /**
     * @param text a decimal number such as {@code 12.50}, at most six decimals
     * @throws NumberFormatException if it is not a number or has more than six decimals
     */
    public static Money parse(String text) {
        try {
            return new Money(new BigDecimal(text.strip()).multiply(MICROS).longValueExact());
        } catch (ArithmeticException tooFine) {
            throw new NumberFormatException("'" + text + "' has more than six decimals or is too large");
        }
    }

    public Money plus(Money other) {
        return new Money(Math.addExact(micros, other.micros));
    }

    public Money minus(Money other) {
        return new Money(Math.subtractExact(micros, other.micros));
    }

    public Money times(long factor) {
        return new Money(Math.multiplyExact(micros, factor));
    }

    /** This price per hour for a length of time, rounded up: an estimate must never be below the bill. */
    public Money perHourFor(Duration time) {
        return new Money(BigDecimal.valueOf(micros)
                .multiply(BigDecimal.valueOf(time.toNanos()))
                .divide(NANOS_PER_HOUR, 0, RoundingMode.CEILING)
                .longValueExact());
    }

    /** This price per 10^9 bytes for so many, rounded up, too. */
    public Money perGigabyteFor(long bytes) {
        return new Money(BigDecimal.valueOf(micros)
                .multiply(BigDecimal.valueOf(bytes))
                .divide(BYTES_PER_GIGABYTE, 0, RoundingMode.CEILING)
                .longValueExact());
    }

    public boolean isMoreThan(Money other) {
        return micros > other.micros;
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(micros, other.micros);
    }

    /** A plain decimal with at least two and at most six decimals, without a currency sign. */
    @Override
    public String toString() {
        BigDecimal value = BigDecimal.valueOf(micros, 6).stripTrailingZeros();
        return value.setScale(Math.max(2, value.scale()), RoundingMode.UNNECESSARY)
                .toPlainString();
    }
}
