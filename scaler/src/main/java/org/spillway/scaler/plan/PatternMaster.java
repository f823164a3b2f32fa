package org.spillway.scaler.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The fractional cutting-stock problem: which patterns, how often, so that every shape is covered at the least price. Solved
 * by the revised simplex method with columns made as they are needed (P. C. Gilmore and R. E. Gomory, A linear programming
 * approach to the cutting-stock problem, 1961 and 1963). Patterns are found by greedy knapsacks, so that the value may be a
 * little above the true bound; it is a guide here, not a proof. Numbers are doubles, as no money is decided by them alone:
 * what it proposes is compared by exact prices.
 *
 * <p>m rows, one for each shape and each bin with a limit: an iteration is O(m^2 + bins x shapes), and there are at most
 * {@code ITERATIONS_PER_ROW} x m.
 */
final class PatternMaster {
    private static final double UNCOVERED = 1e4;
    private static final double EPSILON = 1e-9;
    private static final int ITERATIONS_PER_ROW = 12;

    /** How often each shape is put on one bin. */
    record Pattern(int bin, int[] slots) {}

    /** A pattern and how often the solution uses it, a fraction. */
    record Use(Pattern pattern, double times) {}

    private final Knapsack[] bins;
    private final double[] prices;
    private final int[] limits;
    private final List<Pattern> pool;
    private final int shapes;
    private final int[] rowOfBin;
    private final int rows;
    private final double[] right;
    private final double[][] inverse;
    private final double[] costs;
    private final Pattern[] basis;
    private final double[] values;

    /**
     * @param prices of a bin, the largest at most 1
     * @param limits bins of a kind that there are; -1 for any number
     * @param wanted slots of each shape
     * @param pool patterns found before, to which new ones are added
     */
    PatternMaster(Knapsack[] bins, double[] prices, int[] limits, int[] wanted, List<Pattern> pool) {
        this.bins = bins;
        this.prices = prices;
        this.limits = limits;
        this.pool = pool;
        shapes = wanted.length;
        rowOfBin = new int[bins.length];
        int row = shapes;
        for (int bin = 0; bin < bins.length; bin++) {
            rowOfBin[bin] = limits[bin] < 0 ? -1 : row++;
        }
        rows = row;
        right = new double[rows];
        for (int shape = 0; shape < shapes; shape++) {
            right[shape] = wanted[shape];
        }
        for (int bin = 0; bin < bins.length; bin++) {
            if (rowOfBin[bin] >= 0) {
                right[rowOfBin[bin]] = limits[bin];
            }
        }
        inverse = new double[rows][rows];
        costs = new double[rows];
        basis = new Pattern[rows];
        values = right.clone();
        for (int i = 0; i < rows; i++) {
            inverse[i][i] = 1;
            costs[i] = i < shapes ? UNCOVERED : 0;
        }
    }

    /** Patterns that are used, in the order of their rows. */
    List<Use> solve(int[] wanted) {
        for (int i = 0; i < ITERATIONS_PER_ROW * rows; i++) {
            if (!improve(wanted)) {
                break;
            }
        }
        List<Use> uses = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            if (basis[row] != null && basis[row].bin() >= 0 && values[row] > EPSILON) {
                uses.add(new Use(basis[row], values[row]));
            }
        }
        return uses;
    }

    /** Of the fractional solution, with {@link #UNCOVERED} for each slot that finds no place. */
    double price() {
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            sum += costs[row] * values[row];
        }
        return sum;
    }

    private boolean improve(int[] wanted) {
        double[] duals = duals();
        for (int shape = 0; shape < shapes; shape++) {
            if (duals[shape] < -EPSILON) {
                double[] column = new double[rows];
                column[shape] = -1;
                return enter(new Pattern(-1, new int[0]), column, 0);
            }
        }
        Pattern best = null;
        double least = -EPSILON;
        for (Pattern pattern : pool) {
            double reduced = reduced(pattern, duals);
            if (reduced < least && isWithin(pattern, wanted)) {
                least = reduced;
                best = pattern;
            }
        }
        for (int effort = 0; effort < 2 && best == null; effort++) {
            for (int bin = 0; bin < bins.length; bin++) {
                if (limits[bin] == 0) {
                    continue;
                }
                Pattern pattern = new Pattern(bin, bins[bin].best(duals, wanted, effort > 0));
                double reduced = reduced(pattern, duals);
                if (reduced < least) {
                    least = reduced;
                    best = pattern;
                }
            }
            if (best != null) {
                pool.add(best);
            }
        }
        return best != null && enter(best, column(best), prices[best.bin()]);
    }

    private boolean isWithin(Pattern pattern, int[] wanted) {
        if (limits[pattern.bin()] == 0) {
            return false;
        }
        for (int shape = 0; shape < shapes; shape++) {
            if (pattern.slots()[shape] > wanted[shape]) {
                return false;
            }
        }
        return true;
    }

    private double[] duals() {
        double[] duals = new double[rows];
        for (int row = 0; row < rows; row++) {
            double cost = costs[row];
            if (cost != 0) {
                double[] of = inverse[row];
                for (int i = 0; i < rows; i++) {
                    duals[i] += cost * of[i];
                }
            }
        }
        return duals;
    }

    private double reduced(Pattern pattern, double[] duals) {
        double reduced = prices[pattern.bin()];
        int row = rowOfBin[pattern.bin()];
        if (row >= 0) {
            reduced -= duals[row];
        }
        int[] slots = pattern.slots();
        for (int shape = 0; shape < shapes; shape++) {
            if (slots[shape] != 0) {
                reduced -= duals[shape] * slots[shape];
            }
        }
        return reduced;
    }

    private double[] column(Pattern pattern) {
        double[] column = new double[rows];
        for (int shape = 0; shape < shapes; shape++) {
            column[shape] = pattern.slots()[shape];
        }
        if (rowOfBin[pattern.bin()] >= 0) {
            column[rowOfBin[pattern.bin()]] = 1;
        }
        return column;
    }

    private boolean enter(Pattern pattern, double[] column, double cost) {
        double[] step = new double[rows];
        int leaving = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int row = 0; row < rows; row++) {
            double sum = 0;
            double[] of = inverse[row];
            for (int i = 0; i < rows; i++) {
                sum += of[i] * column[i];
            }
            step[row] = sum;
            if (sum > EPSILON && values[row] / sum < least - EPSILON) {
                least = values[row] / sum;
                leaving = row;
            }
        }
        if (leaving < 0) {
            return false;
        }
        double[] pivot = inverse[leaving];
        double divisor = step[leaving];
        for (int i = 0; i < rows; i++) {
            pivot[i] /= divisor;
        }
        for (int row = 0; row < rows; row++) {
            if (row != leaving && step[row] != 0) {
                double factor = step[row];
                double[] of = inverse[row];
                for (int i = 0; i < rows; i++) {
                    of[i] -= factor * pivot[i];
                }
                values[row] = Math.max(0, values[row] - factor * least);
            }
        }
        values[leaving] = Math.max(0, least);
        costs[leaving] = cost;
        basis[leaving] = pattern;
        return true;
    }

    @Override
    public String toString() {
        return rows + " rows, " + pool.size() + " patterns, " + Arrays.toString(values);
    }
}
