// Fifteen tasks: one that makes the parts, four at a time on them, an array of Slurm's, what fails at first, what its user cancels, and
// what gathers all. Nothing in it knows of Slurm or of a cloud.
process parts {
    output: path 'part_*.txt'
    script: 'for part in 0 1 2 3; do seq $((part * 100)) $((part * 100 + 99)) >part_$part.txt; done'
}

process squares {
    tag { part.baseName }
    input: path part
    output: path "square_${part.baseName}.txt"
    script: "awk '{ print \$1 * \$1 }' $part >square_${part.baseName}.txt"
}

process sums {
    tag { square.baseName }
    array 4
    input: path square
    output: path "sum_${square.baseName}.txt"
    script: "awk '{ all += \$1 } END { printf \"%.0f\\n\", all }' $square >sum_${square.baseName}.txt"
}

process unsteady {
    errorStrategy 'retry'
    maxRetries 2
    publishDir 'results', mode: 'copy'
    input: path all
    output: path 'unsteady.txt'
    script: "[ $task.attempt -gt 1 ] || exit 7; cat part_*.txt | wc -l >unsteady.txt; echo attempt $task.attempt >>unsteady.txt"
}

process cancelled {
    errorStrategy 'retry'
    maxRetries 2
    publishDir 'results', mode: 'copy'
    input: path all
    output: path 'cancelled.txt'
    script: "[ $task.attempt -gt 1 ] || { echo \$SLURM_JOB_ID >$launchDir/running.cancelled; sleep 300; }; cat part_*.txt | tail -n 1 >cancelled.txt"
}

process tree {
    publishDir 'results', mode: 'copy'
    input: path all
    output: path 'tree'
    script: 'mkdir -p tree/below && cp part_*.txt tree/below/ && ln -s below/part_0.txt tree/first && : >tree/empty'
}

process report {
    publishDir 'results', mode: 'copy'
    input:
    path sums
    path unsteady
    path cancelled
    path tree
    output:
    path 'report.txt'
    path 'program.sh'
    script: 'cat sum_*.txt unsteady.txt cancelled.txt >report.txt; (cd tree && find . | sort) >>report.txt; printf "#!/bin/sh\\n" >program.sh; chmod 755 program.sh'
}

process endless {
    script: "echo \$SLURM_JOB_ID >$launchDir/running.long; sleep 300"
}

// With --long a task that is ended together with nextflow.
workflow {
    if (params.long) {
        endless()
    } else {
        made = parts()
        each = squares(made.flatten())
        sums(each)
        unsteady(made)
        cancelled(made)
        tree(made)
        report(sums.out.collect(), unsteady.out, cancelled.out, tree.out)
    }
}
